using System.Collections.Concurrent;
using System.Diagnostics;
using Geo.Testing.Conformance;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Overlays.Tests;

/// <summary>Peers of overlays over TCP on loopback, with intervals short enough for a test.</summary>
internal sealed class TcpOverlayWorld : IOverlayWorld
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Quiet = TimeSpan.FromMilliseconds(300);

    private readonly Dictionary<OverlayNode, MessagingNode> _nodes = [];
    private readonly ConcurrentDictionary<int, PeerId> _byPort = new();
    private readonly ConcurrentDictionary<PeerId, int> _part = new();
    private readonly ConcurrentBag<(PeerId From, PeerId To, IWireConnection Wire)> _connections = [];

    public async ValueTask<OverlayNode> StartAsync(string peer, OverlayOptions options)
    {
        var name = new PeerId(peer);
        var messaging = new MessagingNode(
            new MessagingOptions
            {
                Peer = name,
                ListenOn = PeerAddress.Loopback(),
                ReconnectDelay = TimeSpan.FromMilliseconds(20),
                MaxReconnectDelay = TimeSpan.FromMilliseconds(200),
            },
            TimeProvider.System, NullLoggerFactory.Instance, new PartedTransport(this, name), WireVersions.Current);
        await messaging.StartAsync(TestContext.Current.CancellationToken);
        _byPort[messaging.ListeningOn!.Port] = name;
        var node = OverlayNode.Over(messaging, Hasten(options), TimeProvider.System, NullLoggerFactory.Instance);
        _nodes.Add(node, messaging);
        node.Start();
        return node;
    }

    public async ValueTask CrashAsync(OverlayNode node)
    {
        await node.DisposeAsync();
        await _nodes[node].DisposeAsync();
    }

    public PeerAddress AddressOf(OverlayNode node) => _nodes[node].ListeningOn!;

    public void Partition(IReadOnlyList<IReadOnlyList<OverlayNode>> parts)
    {
        foreach (var (part, nodes) in parts.Index())
        {
            foreach (var node in nodes)
            {
                _part[node.Peer] = part + 1;
            }
        }

        foreach (var (from, to, wire) in _connections)
        {
            if (!CanReach(from, to))
            {
                wire.Dispose();
            }
        }
    }

    public void Heal() => _part.Clear();

    public async ValueTask UntilAsync(Func<bool> condition, string what)
    {
        var watch = Stopwatch.StartNew();
        while (!condition())
        {
            if (watch.Elapsed > Deadline)
            {
                var views = string.Join("; ", _nodes.Keys.Select(node => $"{node.Peer} [{string.Join(' ', node.Neighbours)}]"));
                throw new ConformanceException($"Within {Deadline.TotalSeconds} s it did not happen that {what}. Neighbours: {views}.");
            }

            await Task.Delay(10, TestContext.Current.CancellationToken);
        }
    }

    public async ValueTask PassAsync(TimeSpan time) => await Task.Delay(time < Quiet ? time : Quiet, TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        foreach (var (node, messaging) in _nodes)
        {
            await node.DisposeAsync();
            await messaging.DisposeAsync();
        }
    }

    private static OverlayOptions Hasten(OverlayOptions options) => options with
    {
        TickInterval = TimeSpan.FromMilliseconds(20),
        FullMesh = new() { ConnectInterval = TimeSpan.FromMilliseconds(20), GossipInterval = TimeSpan.FromMilliseconds(500) },
        ClientServer = new() { ConnectTimeout = TimeSpan.FromSeconds(1) },
        HyParView = new() { ShuffleInterval = TimeSpan.FromMilliseconds(500), AskTimeout = TimeSpan.FromSeconds(1) },
        Routing = new() { RetryInterval = TimeSpan.FromMilliseconds(200) },
        Broadcast = new() { MissingTimeout = TimeSpan.FromMilliseconds(100), GraftTimeout = TimeSpan.FromMilliseconds(100) },
    };

    private bool CanReach(PeerId from, PeerId to) => _part.GetValueOrDefault(from) == _part.GetValueOrDefault(to);

    private sealed class PartedTransport(TcpOverlayWorld world, PeerId from) : IWireTransport
    {
        public IWireListener Listen(PeerAddress address) => SocketTransport.Instance.Listen(address);

        public async ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken)
        {
            var to = world._byPort.GetValueOrDefault(address.Port);
            if (!world.CanReach(from, to))
            {
                throw new IOException("parted by the test");
            }

            var wire = await SocketTransport.Instance.ConnectAsync(address, cancellationToken);
            world._connections.Add((from, to, wire));
            if (!world.CanReach(from, to))
            {
                wire.Dispose();
            }

            return wire;
        }
    }
}
