using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>The nodes of one test, on this machine, disposed with it.</summary>
internal sealed class Net(Wires? wires = null) : IAsyncDisposable
{
    private readonly Wires _wires = wires ?? Wires.Tcp;
    private readonly List<MessagingNode> _nodes = [];

    public static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>Starts a node that listens where nobody else does; its cluster is what comes before the '/' of its name.</summary>
    public Task<MessagingNode> ListenAsync(
        string peer, Func<MessagingOptions, MessagingOptions>? change = null, IWireTransport? transport = null,
        WireVersions? versions = null) =>
        StartAsync(peer, options => (change ?? (o => o))(options with { ListenOn = _wires.NewAddress() }), transport, versions);

    /// <summary>Starts a node that only dials.</summary>
    public async Task<MessagingNode> StartAsync(
        string peer, Func<MessagingOptions, MessagingOptions>? change = null, IWireTransport? transport = null,
        WireVersions? versions = null)
    {
        var slash = peer.IndexOf('/', StringComparison.Ordinal);
        var options = new MessagingOptions
        {
            Peer = new PeerId(peer),
            Cluster = slash > 0 ? new ClusterId(peer[..slash]) : default,
            ReconnectDelay = TimeSpan.FromMilliseconds(20),
            MaxReconnectDelay = TimeSpan.FromMilliseconds(200),
        };
        options = (change ?? (o => o))(options);
        var speaks = versions ?? WireVersions.Current;
        var node = transport is null
            ? _wires.NewNode(options, speaks)
            : new MessagingNode(options, TimeProvider.System, NullLoggerFactory.Instance, transport, speaks);
        _nodes.Add(node);
        await node.StartAsync(Token);
        return node;
    }

    /// <summary>A listening node and one that dialled it, connected.</summary>
    public async Task<(MessagingNode Dialler, MessagingNode Listener)> PairAsync(
        Func<MessagingOptions, MessagingOptions>? change = null, IWireTransport? transport = null)
    {
        var listener = await ListenAsync("eu/1", change);
        var dialler = await StartAsync("us/1", change, transport);
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Token));
        await ConnectedAsync(listener, dialler);
        return (dialler, listener);
    }

    public static Task ConnectedAsync(MessagingNode from, MessagingNode to) =>
        Eventually.HoldsAsync(() => from.Members.Any(member => member.Peer == to.Peer), $"{from.Peer} is connected to {to.Peer}");

    public async ValueTask DisposeAsync()
    {
        foreach (var node in _nodes)
        {
            await node.DisposeAsync();
        }

        _wires.Clear();
    }
}
