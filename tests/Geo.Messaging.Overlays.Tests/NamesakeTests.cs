using System.Threading.Channels;
using Geo.Testing.InMemory;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Overlays.Tests;

/// <summary>Peers of two clusters, or a client and a silo, may have one name.</summary>
public sealed class NamesakeTests : IAsyncDisposable
{
    private readonly InMemoryNetwork _network = new(TimeProvider.System);
    private readonly List<MessagingNode> _nodes = [];
    private readonly Told _told = new();

    public async ValueTask DisposeAsync()
    {
        foreach (var node in _nodes)
        {
            await node.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_namesake_that_comes_speaks_and_goes_is_nobody_to_the_overlay()
    {
        var hub = await StartAsync("eu/1", "eu", listens: true);
        using var listening = Over(hub).Listen(_told);
        var silo = await JoinAsync(hub, "us/1", "us");
        Assert.Equal("up us/1", await _told.NextAsync());

        var client = await JoinAsync(hub, "us/1", cluster: null);
        await SayAsync(client, hub, 9);
        await SayAsync(silo, hub, 1);
        Assert.Equal("us/1: 1", await _told.NextAsync());

        await client.LeaveAsync(TestContext.Current.CancellationToken);
        await JoinAsync(hub, "asia/1", "asia");
        Assert.Equal("up asia/1", await _told.NextAsync());
    }

    [Fact]
    public async Task Who_gets_what_is_sent_to_a_name_is_whom_the_overlay_hears_of()
    {
        var hub = await StartAsync("eu/1", "eu", listens: true);
        using var listening = Over(hub).Listen(_told);
        var client = await JoinAsync(hub, "us/1", cluster: null);
        Assert.Equal("up us/1", await _told.NextAsync());

        var silo = await JoinAsync(hub, "us/1", "us");
        await SayAsync(silo, hub, 2);
        Assert.Equal("down us/1", await _told.NextAsync());
        Assert.Equal("up us/1", await _told.NextAsync());
        Assert.Equal("us/1: 2", await _told.NextAsync());

        await silo.LeaveAsync(TestContext.Current.CancellationToken);
        Assert.Equal("down us/1", await _told.NextAsync());
        Assert.Equal("up us/1", await _told.NextAsync());
        await SayAsync(client, hub, 3);
        Assert.Equal("us/1: 3", await _told.NextAsync());
    }

    [Fact]
    public async Task However_namesakes_come_and_go_the_overlay_hears_of_one_at_a_time()
    {
        var hub = await StartAsync("eu/1", "eu", listens: true);
        using var listening = Over(hub).Listen(_told);

        await Task.WhenAll(new[] { "us", "asia", null }.Select(cluster => Task.Run(async () =>
        {
            for (var round = 0; round < 20; round++)
            {
                var node = await JoinAsync(hub, "us/1", cluster);
                await SayAsync(node, hub, 1);
                await node.LeaveAsync(TestContext.Current.CancellationToken);
            }
        })));
        await JoinAsync(hub, "last/1", "last");

        var isUp = false;
        for (var said = await _told.NextAsync(); said != "up last/1"; said = await _told.NextAsync())
        {
            if (said != "us/1: 1")
            {
                Assert.Equal(isUp ? "down us/1" : "up us/1", said);
                isUp = !isUp;
            }
        }
    }

    private static MessagingOverlayTransport Over(MessagingNode node) => new(node, null, ChannelOptions.DefaultName, NullLogger.Instance);

    private static async Task SayAsync(MessagingNode from, MessagingNode to, byte what)
    {
        var reply = await from.RequestAsync(
            to.Peer, MessagingOverlayTransport.Service, new[] { what }, default, TestContext.Current.CancellationToken);
        Assert.Equal(ReplyOutcome.Replied, reply.Outcome);
    }

    private async Task<MessagingNode> JoinAsync(MessagingNode hub, string peer, string? cluster)
    {
        var node = await StartAsync(peer, cluster);
        await node.JoinAsync(hub.ListeningOn!, cancellationToken: TestContext.Current.CancellationToken);
        return node;
    }

    private async Task<MessagingNode> StartAsync(string peer, string? cluster, bool listens = false)
    {
        var node = _network.CreateNode(
            new MessagingOptions
            {
                Peer = new PeerId(peer),
                Cluster = cluster is null ? default : new ClusterId(cluster),
                ListenOn = listens ? PeerAddress.Loopback() : null,
            },
            NullLoggerFactory.Instance);
        lock (_nodes)
        {
            _nodes.Add(node);
        }

        await node.StartAsync(TestContext.Current.CancellationToken);
        return node;
    }

    // What an overlay would hear, in order.
    private sealed class Told : IOverlayListener
    {
        private readonly Channel<string> _all = Channel.CreateUnbounded<string>();

        public Task<string> NextAsync()
        {
            var token = TestContext.Current.CancellationToken;
            return _all.Reader.ReadAsync(token).AsTask().WaitAsync(TimeSpan.FromSeconds(30), token);
        }

        public void LinkUp(PeerId peer) => _all.Writer.TryWrite($"up {peer}");

        public void LinkDown(PeerId peer) => _all.Writer.TryWrite($"down {peer}");

        public void Received(PeerId from, ReadOnlySpan<byte> frame) => _all.Writer.TryWrite($"{from}: {frame[0]}");
    }
}
