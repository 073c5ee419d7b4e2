using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Geo.Testing.Wan;

namespace Geo.Testing.Tests.Wan;

public sealed class DelayedLinkTests : IAsyncDisposable
{
    private readonly TcpListener _target = new(IPAddress.Loopback, 0);
    private readonly DelayedLink _link;

    public DelayedLinkTests()
    {
        _target.Start();
        _link = DelayedLink.Start(new DelayedLinkOptions { Target = (IPEndPoint)_target.LocalEndpoint });
    }

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    public async ValueTask DisposeAsync()
    {
        await _link.DisposeAsync();
        _target.Dispose();
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(20, 40)]
    [InlineData(72.5, 145)]
    public async Task A_round_trip_takes_the_delay_of_both_ways(double oneWay, double roundTrip)
    {
        _link.OneWayDelay = TimeSpan.FromMilliseconds(oneWay);
        using var pair = await ConnectAsync();
        var measured = new List<double>();
        for (var i = 0; i < 8; i++)
        {
            var started = Stopwatch.GetTimestamp();
            await pair.EchoAsync(new byte[100]);
            measured.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
        }

        // Never early; the best may be late by ticks of both directions, the others by whatever else the machine does.
        Assert.All(measured, m => Assert.True(m >= roundTrip, $"{m} ms for a round trip of {roundTrip} ms"));
        Assert.InRange(measured.Min(), roundTrip, roundTrip + 25);
    }

    [Fact]
    public async Task A_link_that_is_cut_refuses_connections_and_is_healed_on_the_same_port()
    {
        _link.Cut();
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        var refused = await Assert.ThrowsAsync<SocketException>(() => client.ConnectAsync(_link.ListeningOn, Stop).AsTask());
        Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);
        _link.Heal();
        using var pair = await ConnectAsync();
    }

    [Fact]
    public async Task Messages_sent_one_after_the_other_are_under_way_together()
    {
        _link.OneWayDelay = TimeSpan.FromMilliseconds(100);
        using var pair = await ConnectAsync();
        var started = Stopwatch.GetTimestamp();
        for (var i = 0; i < 50; i++)
        {
            await pair.Client.SendAsync(new byte[100], Stop);
        }

        await Pair.ReceiveAsync(pair.Server, 5000);

        Assert.InRange(Stopwatch.GetElapsedTime(started).TotalMilliseconds, 100, 2500);
    }

    [Fact]
    public async Task Every_byte_arrives_as_it_was_sent_in_both_directions_at_once()
    {
        _link.OneWayDelay = TimeSpan.FromMilliseconds(5);
        using var pair = await ConnectAsync();
        var there = new byte[40 * 1024 * 1024];
        var back = new byte[24 * 1024 * 1024];
        new Random(1).NextBytes(there);
        new Random(2).NextBytes(back);

        var sending = Task.WhenAll(Pair.SendAllAsync(pair.Client, there), Pair.SendAllAsync(pair.Server, back));
        var received = await Task.WhenAll(Pair.ReceiveAsync(pair.Server, there.Length), Pair.ReceiveAsync(pair.Client, back.Length));
        await sending;

        Assert.True(there.AsSpan().SequenceEqual(received[0]));
        Assert.True(back.AsSpan().SequenceEqual(received[1]));
        Assert.Equal(there.Length + back.Length, _link.BytesDelivered);
    }

    [Fact]
    public async Task A_shorter_delay_lets_nothing_overtake()
    {
        _link.OneWayDelay = TimeSpan.FromMilliseconds(60);
        using var pair = await ConnectAsync();
        await pair.Client.SendAsync(new byte[] { 1 }, Stop);
        _link.OneWayDelay = TimeSpan.Zero;
        await pair.Client.SendAsync(new byte[] { 2 }, Stop);

        Assert.Equal([1, 2], await Pair.ReceiveAsync(pair.Server, 2));
    }

    [Fact]
    public async Task The_end_of_one_direction_arrives_after_its_bytes_and_leaves_the_other_open()
    {
        _link.OneWayDelay = TimeSpan.FromMilliseconds(10);
        using var pair = await ConnectAsync();
        await pair.Client.SendAsync(new byte[] { 1 }, Stop);
        pair.Client.Shutdown(SocketShutdown.Send);

        Assert.Equal([1], await Pair.ReceiveAsync(pair.Server, 1));
        Assert.Equal(0, await pair.Server.ReceiveAsync(new byte[1], Stop));
        await pair.Server.SendAsync(new byte[] { 7 }, Stop);
        Assert.Equal([7], await Pair.ReceiveAsync(pair.Client, 1));
    }

    [Fact]
    public async Task A_sender_is_held_back_when_the_bound_is_under_way()
    {
        await using var small = DelayedLink.Start(new DelayedLinkOptions
        {
            Target = (IPEndPoint)_target.LocalEndpoint,
            OneWayDelay = TimeSpan.FromSeconds(30),
            MaxBytesUnderWay = 64 * 1024,
        });
        using var pair = await ConnectAsync(small);
        pair.Client.SendBufferSize = 64 * 1024;
        var sending = Pair.SendAllAsync(pair.Client, new byte[64 * 1024 * 1024]);

        // What the system's own buffers take ends somewhere; after that nothing more goes out, however long one waits.
        var first = await Task.WhenAny(sending, Task.Delay(500, Stop));

        Assert.NotSame(sending, first);
        small.Cut();
        await Assert.ThrowsAnyAsync<SocketException>(() => sending);
    }

    [Fact]
    public async Task A_cut_resets_connections_and_refuses_new_ones_until_it_is_healed()
    {
        using var before = await ConnectAsync();
        await before.EchoAsync([1]);

        _link.Cut();
        await Pair.IsResetAsync(before.Client);
        await Pair.IsResetAsync(before.Server);
        using var refused = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        var error = await Assert.ThrowsAsync<SocketException>(async () => await refused.ConnectAsync(_link.ListeningOn, Stop));
        _link.Heal();
        using var after = await ConnectAsync();

        Assert.Equal(SocketError.ConnectionRefused, error.SocketErrorCode);
        await after.EchoAsync([2]);
    }

    [Fact]
    public async Task A_black_hole_swallows_everything_silently_and_healing_delivers_it()
    {
        using var pair = await ConnectAsync();
        await pair.EchoAsync([1]);

        _link.Cut(CutMode.BlackHole);
        await pair.Client.SendAsync(new byte[] { 2 }, Stop);
        var arriving = Pair.ReceiveAsync(pair.Server, 1);
        var connecting = ConnectAsync();
        await Task.WhenAny(arriving, connecting, Task.Delay(100, Stop));
        Assert.False(arriving.IsCompleted);
        Assert.False(connecting.IsCompleted);
        _link.Heal();

        Assert.Equal([2], await arriving);
        using var second = await connecting;
        await second.EchoAsync([3]);
    }

    [Fact]
    public async Task A_connection_ends_when_nobody_listens_at_the_target()
    {
        _target.Stop();
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

        // The reset may come while the client is still connecting.
        var error = await Assert.ThrowsAsync<SocketException>(async () =>
        {
            await client.ConnectAsync(_link.ListeningOn, Stop);
            await client.ReceiveAsync(new byte[1], Stop);
        });

        Assert.Equal(SocketError.ConnectionReset, error.SocketErrorCode);
    }

    [Fact]
    public void A_port_in_use_and_options_out_of_range_are_refused_in_one_line()
    {
        var target = (IPEndPoint)_target.LocalEndpoint;
        var inUse = Assert.Throws<GeoConfigurationException>(
            () => DelayedLink.Start(new DelayedLinkOptions { Target = target, ListenPort = target.Port }));
        var negative = Assert.Throws<GeoConfigurationException>(
            () => DelayedLink.Start(new DelayedLinkOptions { Target = target, OneWayDelay = TimeSpan.FromSeconds(-1) }));

        Assert.StartsWith($"Delayed link: cannot listen on 127.0.0.1:{target.Port} (", inUse.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(DelayedLinkOptions.OneWayDelay), negative.Message, StringComparison.Ordinal);
    }

    private async Task<Pair> ConnectAsync(DelayedLink? link = null)
    {
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await client.ConnectAsync((link ?? _link).ListeningOn, Stop);
        var server = await _target.AcceptSocketAsync(Stop);
        server.NoDelay = true;
        return new Pair(client, server);
    }

    /// <summary>Both ends of a connection through the link.</summary>
    private sealed record Pair(Socket Client, Socket Server) : IDisposable
    {
        public async Task EchoAsync(byte[] message)
        {
            await Client.SendAsync(message, Stop);
            await Server.SendAsync(await ReceiveAsync(Server, message.Length), Stop);
            Assert.Equal(message, await ReceiveAsync(Client, message.Length));
        }

        public static async Task SendAllAsync(Socket from, byte[] bytes)
        {
            for (var rest = bytes.AsMemory(); !rest.IsEmpty;)
            {
                rest = rest[await from.SendAsync(rest[..Math.Min(rest.Length, 100_000)], Stop)..];
            }
        }

        public static async Task<byte[]> ReceiveAsync(Socket at, int count)
        {
            var bytes = new byte[count];
            for (var received = 0; received < count;)
            {
                var more = await at.ReceiveAsync(bytes.AsMemory(received), Stop);
                Assert.True(more > 0, $"the connection ended after {received} of {count} bytes");
                received += more;
            }

            return bytes;
        }

        public static async Task IsResetAsync(Socket end)
        {
            using var deadline = new CancellationTokenSource(TimeSpan.FromSeconds(10));
            await Assert.ThrowsAsync<SocketException>(async () =>
            {
                if (await end.ReceiveAsync(new byte[1], deadline.Token) == 0)
                {
                    throw new SocketException((int)SocketError.ConnectionReset);
                }
            });
        }

        public void Dispose()
        {
            Client.Dispose();
            Server.Dispose();
        }
    }
}
