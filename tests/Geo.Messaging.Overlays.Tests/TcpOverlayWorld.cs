using System.Collections.Concurrent;
using System.Diagnostics;
using Geo.Testing.Conformance;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Overlays.Tests;

/// <summary>Peers of overlays over TCP on loopback, with intervals short enough for a test.</summary>
/// <param name="patience">By what its times are longer.</param>
internal sealed class TcpOverlayWorld(int patience = 1) : IOverlayWorld
{
    private static readonly TimeSpan Quiet = TimeSpan.FromMilliseconds(300);

    private readonly TimeSpan _deadline = TimeSpan.FromSeconds(30) * patience;
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
                HandshakeTimeout = TimeSpan.FromSeconds(5) * patience,
                DeadLinkAfter = TimeSpan.FromSeconds(5) * patience,
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

    public ValueTask UntilAsync(Func<bool> condition, string what) => UntilAsync(condition, what, () => "");

    public async ValueTask UntilAsync(Func<bool> condition, string what, Func<string> missing)
    {
        var watch = Stopwatch.StartNew();
        while (!condition())
        {
            if (watch.Elapsed > _deadline)
            {
                var views = string.Join("; ", _nodes.Keys.Select(node => $"{node.Peer} [{string.Join(' ', node.Neighbours)}]"));
                throw new ConformanceException(
                    $"Within {_deadline.TotalSeconds} s it did not happen that {what} ({missing()}). Neighbours: {views}.");
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

    private OverlayOptions Hasten(OverlayOptions options) => options with
    {
        TickInterval = TimeSpan.FromMilliseconds(20) * patience,
        FullMesh = new()
        {
            ConnectInterval = TimeSpan.FromMilliseconds(20) * patience,
            GossipInterval = TimeSpan.FromMilliseconds(500) * patience,
        },
        ClientServer = new() { ConnectTimeout = TimeSpan.FromSeconds(1) * patience },
        HyParView = new()
        {
            ShuffleInterval = TimeSpan.FromMilliseconds(500) * patience,
            AskTimeout = TimeSpan.FromSeconds(1) * patience,
        },
        Routing = new() { RetryInterval = TimeSpan.FromMilliseconds(200) * patience },
        Broadcast = new()
        {
            MissingTimeout = TimeSpan.FromMilliseconds(100) * patience,
            GraftTimeout = TimeSpan.FromMilliseconds(100) * patience,
        },
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
