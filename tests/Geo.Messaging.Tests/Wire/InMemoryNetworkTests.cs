using Geo.Testing;
using Geo.Testing.InMemory;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

public sealed class InMemoryNetworkTests
{
    [Fact]
    public async Task What_is_sent_arrives_in_order_after_the_delay_and_not_before()
    {
        var time = new ManualTime();
        var (dialled, accepted) = await ConnectAsync(new InMemoryNetwork(time) { Delay = TimeSpan.FromMilliseconds(50) }, time);
        await dialled.SendAsync([new byte[] { 1, 2 }, new byte[] { 3 }]);
        var buffer = new byte[10];
        var receive = accepted.ReceiveAsync(buffer).AsTask();

        time.Advance(TimeSpan.FromMilliseconds(49));
        Assert.False(receive.IsCompleted);
        time.Advance(TimeSpan.FromMilliseconds(1));

        Assert.Equal(3, await Eventually.InTimeAsync(receive));
        Assert.Equal([1, 2, 3], buffer[..3]);
    }

    [Fact]
    public async Task What_has_arrived_and_was_not_received_is_seen()
    {
        var time = new ManualTime();
        var (dialled, accepted) = await ConnectAsync(new InMemoryNetwork(time) { Delay = TimeSpan.FromMilliseconds(50) }, time);
        await dialled.SendAsync([new byte[3]]);
        time.Advance(TimeSpan.FromMilliseconds(49));
        Assert.False(accepted.HasUnread);

        time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.True(accepted.HasUnread);
        Assert.Equal(3, await accepted.ReceiveAsync(new byte[8]));
        Assert.False(accepted.HasUnread);
    }

    [Fact]
    public async Task A_sender_waits_for_a_receiver_that_does_not_read()
    {
        var time = new ManualTime();
        var (dialled, accepted) = await ConnectAsync(new InMemoryNetwork(time) { WindowBytes = 10 }, time);

        var send = dialled.SendAsync([new byte[25]]).AsTask();
        var received = 0;
        Assert.False(send.IsCompleted);
        while (received < 25)
        {
            var some = await Eventually.InTimeAsync(accepted.ReceiveAsync(new byte[100]).AsTask());
            Assert.InRange(some, 1, 10);
            received += some;
        }

        await Eventually.InTimeAsync(send);
    }

    [Fact]
    public async Task A_closed_connection_gives_up_what_was_sent_and_then_its_end_and_takes_nothing()
    {
        var time = new ManualTime();
        var (dialled, accepted) = await ConnectAsync(new InMemoryNetwork(time), time);
        await dialled.SendAsync([new byte[] { 7 }]);

        dialled.Dispose();

        Assert.Equal(1, await accepted.ReceiveAsync(new byte[10]));
        Assert.Equal(0, await accepted.ReceiveAsync(new byte[10]));
        await Assert.ThrowsAsync<IOException>(() => accepted.SendAsync([new byte[1]]).AsTask());
        await Assert.ThrowsAsync<IOException>(() => dialled.ReceiveAsync(new byte[1]).AsTask());
    }

    [Fact]
    public async Task A_cut_breaks_both_ends_at_once()
    {
        var time = new ManualTime();
        var network = new InMemoryNetwork(time);
        var (dialled, accepted) = await ConnectAsync(network, time);
        var receive = accepted.ReceiveAsync(new byte[1]).AsTask();
        await accepted.SendAsync([new byte[1]]);

        network.CutAll();

        await Assert.ThrowsAsync<IOException>(() => Eventually.InTimeAsync(receive));
        await Assert.ThrowsAsync<IOException>(() => dialled.ReceiveAsync(new byte[1]).AsTask());
    }

    [Fact]
    public async Task An_address_is_listened_on_once_and_can_be_taken_again_when_it_is_free()
    {
        IWireTransport network = new InMemoryNetwork(TimeProvider.System);
        var first = network.Listen(PeerAddress.Loopback());
        var error = Assert.Throws<GeoConfigurationException>(() => network.Listen(first.Address));
        Assert.Contains("the port is in use", error.Message, StringComparison.Ordinal);

        first.Dispose();

        await Assert.ThrowsAsync<IOException>(() => network.ConnectAsync(first.Address, Net.Token).AsTask());
        network.Listen(first.Address).Dispose();
    }

    [Fact]
    public async Task A_link_that_falls_silent_is_found_dead_in_virtual_time()
    {
        var time = new VirtualTime();
        var network = new InMemoryNetwork(time);
        var loggers = NullLoggerFactory.Instance;
        await using var listener = network.CreateNode(
            new MessagingOptions { Peer = new PeerId("eu/1"), ListenOn = PeerAddress.Loopback() }, loggers);
        await using var dialler = network.CreateNode(new MessagingOptions { Peer = new PeerId("us/1") }, loggers);
        await listener.StartAsync(Net.Token);
        await dialler.StartAsync(Net.Token);
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(listener, dialler);
        var back = new TaskCompletionSource<MembershipChange>(TaskCreationOptions.RunContinuationsAsynchronously);

        // The first link's own event may still be on its way.
        var wasDown = false;
        dialler.MembersChanged += change =>
        {
            wasDown |= !change.IsUp;
            if (change.IsUp && wasDown)
            {
                back.TrySetResult(change);
            }
        };

        network.CutAll();
        await Eventually.HoldsAsync(() => dialler.Members.Count == 0, "the link is down");

        // Nothing but the clock brings it back: the dialler waits out its back-off.
        while (!back.Task.IsCompleted)
        {
            time.Advance(TimeSpan.FromMilliseconds(50));
            await Task.Delay(1, Net.Token);
        }

        Assert.Equal(listener.Peer, (await back.Task).Member.Peer);
        Assert.InRange(time.Elapsed, TimeSpan.FromMilliseconds(1), TimeSpan.FromSeconds(30));
    }

    private static async Task<(IWireConnection Dialled, IWireConnection Accepted)> ConnectAsync(IWireTransport network, ManualTime time)
    {
        var listener = network.Listen(PeerAddress.Loopback());
        var connect = network.ConnectAsync(listener.Address, Net.Token).AsTask();
        time.Advance(TimeSpan.FromMilliseconds(50));
        var dialled = await Eventually.InTimeAsync(connect);
        return (dialled, await listener.AcceptAsync(Net.Token));
    }
}
