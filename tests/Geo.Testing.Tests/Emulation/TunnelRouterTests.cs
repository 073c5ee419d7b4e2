using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Geo.Emulation;

namespace Geo.Testing.Tests.Emulation;

public sealed class TunnelRouterTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Connecting_and_echoing_take_the_round_trip_and_shortening_it_takes_effect()
    {
        using var router = Start(new TunnelRouterOptions { OneWayDelay = TimeSpan.FromMilliseconds(20) });
        using var listener = Listen(router.Sites[1]);
        using var client = router.Sites[0].Run(NewSocket);

        var started = Stopwatch.GetTimestamp();
        await client.ConnectAsync(listener.LocalEndPoint!, Stop);
        Assert.True(Stopwatch.GetElapsedTime(started).TotalMilliseconds >= 40);

        using var server = await listener.AcceptAsync(Stop);
        Assert.True(await EchoAsync(client, server) >= 40);
        router.OneWayDelay = TimeSpan.Zero;
        var shortest = double.MaxValue;
        for (var i = 0; i < 20; i++)
        {
            shortest = Math.Min(shortest, await EchoAsync(client, server));
        }

        Assert.True(shortest < 40);
        Assert.True(router.PacketsForwarded > 40);
    }

    [Fact]
    public async Task A_large_stream_arrives_whole_between_any_two_of_three_sites()
    {
        using var router = Start(new TunnelRouterOptions { Sites = 3, OneWayDelay = TimeSpan.FromMilliseconds(1) });
        foreach (var (from, to) in ((int, int)[])[(0, 1), (1, 2), (2, 0)])
        {
            using var listener = Listen(router.Sites[to]);
            using var client = router.Sites[from].Run(NewSocket);
            await client.ConnectAsync(listener.LocalEndPoint!, Stop);
            using var server = await listener.AcceptAsync(Stop);
            var sent = new byte[4_000_000];
            new Random(from).NextBytes(sent);
            var received = new byte[sent.Length];

            var sending = client.SendAsync(sent, Stop);
            for (var filled = 0; filled < received.Length;)
            {
                filled += await server.ReceiveAsync(received.AsMemory(filled), Stop);
            }

            Assert.Equal(sent.Length, await sending);
            Assert.True(sent.AsSpan().SequenceEqual(received));
        }

        Assert.Equal(0, router.PacketsDropped);
    }

    [Fact]
    public void Disposing_removes_every_site()
    {
        var router = Start(new TunnelRouterOptions());
        var paths = router.Sites.Select(site => Path.Combine("/run/netns", site.Namespace)).ToArray();
        Assert.All(paths, path => Assert.True(File.Exists(path)));

        router.Dispose();

        Assert.All(paths, path => Assert.False(File.Exists(path)));
    }

    [Fact]
    public void What_a_killed_process_left_behind_is_removed_by_the_next_start()
    {
        Assert.SkipWhen(TunnelRouter.Unavailable is not null, TunnelRouter.Unavailable ?? "");

        // No process has so high a number.
        const string abandoned = "geo-wan-99999999-1";
        using (var process = Process.Start("ip", ["netns", "add", abandoned]))
        {
            process.WaitForExit();
        }

        Assert.True(File.Exists(Path.Combine("/run/netns", abandoned)));

        TunnelRouter.Start(new TunnelRouterOptions()).Dispose();

        Assert.False(File.Exists(Path.Combine("/run/netns", abandoned)));
    }

    [Fact]
    public void A_process_is_started_at_its_site_with_its_own_arguments()
    {
        using var router = Start(new TunnelRouterOptions());
        var start = router.Sites[1].Inside(new ProcessStartInfo("ip", ["-4", "-o", "addr"]) { RedirectStandardOutput = true });

        using var process = Process.Start(start)!;
        var printed = process.StandardOutput.ReadToEnd();

        Assert.Contains(router.Sites[1].Address.ToString(), printed);
        Assert.DoesNotContain(router.Sites[0].Address + "/", printed);
    }

    private static TunnelRouter Start(TunnelRouterOptions options)
    {
        Assert.SkipWhen(TunnelRouter.Unavailable is not null, TunnelRouter.Unavailable ?? "");
        return TunnelRouter.Start(options);
    }

    private static Socket NewSocket() => new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    private static Socket Listen(TunnelSite site)
    {
        var listener = site.Run(NewSocket);
        listener.Bind(new IPEndPoint(site.Address, 0));
        listener.Listen();
        return listener;
    }

    private static async Task<double> EchoAsync(Socket client, Socket server)
    {
        var started = Stopwatch.GetTimestamp();
        var buffer = new byte[100];
        await client.SendAsync(buffer, Stop);
        await server.SendAsync(buffer.AsMemory(0, await server.ReceiveAsync(buffer, Stop)), Stop);
        await client.ReceiveAsync(buffer, Stop);
        return Stopwatch.GetElapsedTime(started).TotalMilliseconds;
    }
}
