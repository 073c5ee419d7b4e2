using System.Collections.Concurrent;
using System.Diagnostics;
using Geo.Messaging.Overlays;
using Geo.Testing.Conformance;
using Geo.Testing.Wan;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Amqp.Tests;

/// <summary>
/// Peers of the overlay at one broker, each over a link of its own that can be cut. A partition cuts all parts but the first off from the
/// broker, and so from each other.
/// </summary>
internal sealed class AmqpOverlayWorld(Broker broker) : IOverlayWorld
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);

    private readonly string _exchange = $"geo.{Guid.NewGuid():N}";
    private readonly ConcurrentDictionary<OverlayNode, (AmqpOverlayTransport Transport, DelayedLink Link)> _nodes = new();

    public ValueTask<OverlayNode> StartAsync(string peer, OverlayOptions options) => new(Start(peer, options));

    public OverlayNode Start(string peer, OverlayOptions? options = null, Func<AmqpOptions, AmqpOptions>? limits = null)
    {
        var link = DelayedLink.Start(new DelayedLinkOptions { Target = broker.ListensOn });
        var amqp = new AmqpOptions
        {
            Peer = new PeerId(peer),
            Broker = Amqp.Tests.Broker.AddressBy(link.ListeningOn.Port),
            Exchange = _exchange,
            HeartbeatInterval = TimeSpan.FromMilliseconds(100),
            DeadAfter = TimeSpan.FromSeconds(2),
            ReconnectDelay = TimeSpan.FromMilliseconds(20),
            MaxReconnectDelay = TimeSpan.FromMilliseconds(200),
        };
        var transport = new AmqpOverlayTransport(limits?.Invoke(amqp) ?? amqp, TimeProvider.System, NullLoggerFactory.Instance);
        var hastened = (options ?? new OverlayOptions()) with
        {
            TickInterval = TimeSpan.FromMilliseconds(20),
            Broadcast = new() { MissingTimeout = TimeSpan.FromMilliseconds(100), GraftTimeout = TimeSpan.FromMilliseconds(100) },
            Routing = new() { RetryInterval = TimeSpan.FromMilliseconds(200) },
        };
        var node = AmqpOverlay.Over(transport, hastened, TimeProvider.System, NullLoggerFactory.Instance);
        _nodes[node] = (transport, link);
        node.Start();
        return node;
    }

    public AmqpOverlayTransport TransportOf(OverlayNode node) => _nodes[node].Transport;

    public DelayedLink LinkOf(OverlayNode node) => _nodes[node].Link;

    public async ValueTask CrashAsync(OverlayNode node)
    {
        await node.DisposeAsync();
        await _nodes[node].Transport.DisposeAsync();
    }

    public PeerAddress AddressOf(OverlayNode node) => _nodes[node].Transport.Address!;

    public void Partition(IReadOnlyList<IReadOnlyList<OverlayNode>> parts)
    {
        foreach (var node in parts.Skip(1).SelectMany(part => part))
        {
            LinkOf(node).Cut();
        }
    }

    public void Heal()
    {
        foreach (var (_, link) in _nodes.Values)
        {
            link.Heal();
        }
    }

    public async ValueTask UntilAsync(Func<bool> condition, string what)
    {
        var watch = Stopwatch.StartNew();
        while (!condition())
        {
            if (watch.Elapsed > Deadline)
            {
                var views = string.Join("; ", _nodes.Select(node =>
                    $"{node.Key.Peer} [{string.Join(' ', node.Key.Neighbours)}] {node.Value.Transport.Counts} {node.Key.Counts}"));
                throw new ConformanceException($"Within {Deadline.TotalSeconds} s it did not happen that {what}. Neighbours: {views}.");
            }

            await Task.Delay(10, TestContext.Current.CancellationToken);
        }
    }

    public async ValueTask PassAsync(TimeSpan time) =>
        await Task.Delay(
            time < TimeSpan.FromMilliseconds(300) ? time : TimeSpan.FromMilliseconds(300), TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        foreach (var (node, (transport, link)) in _nodes)
        {
            await node.DisposeAsync();
            await transport.DisposeAsync();
            await link.DisposeAsync();
        }
    }
}
