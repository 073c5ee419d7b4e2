using Geo.Messaging;
using Geo.Messaging.Overlays;
using Geo.Testing.Conformance;
using Microsoft.Extensions.Logging;

namespace Geo.Testing.Overlays;

/// <summary>Peers of overlays on one thread in virtual time: the same seed gives the same run.</summary>
public sealed class SimulatedOverlayWorld : IOverlayWorld
{
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan Deadline = TimeSpan.FromMinutes(5);

    private readonly SimulationSeed _seed;
    private readonly OverlayCatalog _catalog;
    private readonly Dictionary<OverlayNode, SimulatedOverlayTransport> _transports = [];
    private readonly Faults _faults = new();
    private int _starts;

    /// <summary>Creates a world without peers.</summary>
    /// <param name="seed">Decides delays and every choice of the overlays.</param>
    /// <param name="catalog">The overlays that can be named; the built-in ones when null.</param>
    /// <param name="options">How links behave; the defaults when null.</param>
    public SimulatedOverlayWorld(SimulationSeed seed, OverlayCatalog? catalog = null, SimulatedOverlayOptions? options = null)
    {
        (_seed, _catalog) = (seed, catalog ?? OverlayCatalog.BuiltIn);
        Network = new SimulatedOverlayNetwork(Time, seed.Fork("overlay network"), options);
    }

    /// <summary>The clock.</summary>
    public VirtualTime Time { get; } = new();

    /// <summary>The links.</summary>
    public SimulatedOverlayNetwork Network { get; }

    /// <summary>The peers that have been started, those that crashed included.</summary>
    public IEnumerable<OverlayNode> Nodes => _transports.Keys;

    /// <summary>Starts a peer.</summary>
    public OverlayNode Start(string peer, OverlayOptions options)
    {
        var start = ++_starts;
        var transport = Network.Attach(new PeerId(peer), new PeerAddress($"peer-{start}", 7000));
        var node = new OverlayNode(options, transport, Time, _seed.Fork($"peer {start}"), _faults, _catalog);
        _transports.Add(node, transport);
        node.Start();
        return node;
    }

    /// <inheritdoc/>
    public ValueTask<OverlayNode> StartAsync(string peer, OverlayOptions options) => new(Start(peer, options));

    /// <inheritdoc/>
    public ValueTask CrashAsync(OverlayNode node)
    {
        ArgumentNullException.ThrowIfNull(node);
        _transports[node].Crash();
        return node.DisposeAsync();
    }

    /// <inheritdoc/>
    public PeerAddress AddressOf(OverlayNode node) => _transports[node].Address!;

    /// <inheritdoc/>
    public void Partition(IReadOnlyList<IReadOnlyList<OverlayNode>> parts) =>
        Network.Partition([.. parts.Select(part => part.Select(node => node.Peer).ToList())]);

    /// <inheritdoc/>
    public void Heal() => Network.Heal();

    /// <inheritdoc/>
    public ValueTask UntilAsync(Func<bool> condition, string what)
    {
        ArgumentNullException.ThrowIfNull(condition);
        for (var end = Time.Elapsed + Deadline; !condition(); Time.Advance(Step))
        {
            _faults.ThrowIfAny();
            if (Time.Elapsed >= end)
            {
                var views = string.Join("; ", Nodes.Select(node =>
                    $"{node.Peer} [{string.Join(' ', node.Neighbours)}] of [{string.Join(' ', node.Members.Select(m => m.Peer))}]"));
                throw new ConformanceException(
                    $"With seed {_seed} it did not happen within {Deadline} of virtual time that {what}. Neighbours, of members: {views}.");
            }
        }

        return default;
    }

    /// <inheritdoc/>
    public ValueTask PassAsync(TimeSpan time)
    {
        Time.Advance(time);
        _faults.ThrowIfAny();
        return default;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (var node in _transports.Keys)
        {
            await node.DisposeAsync();
        }

        _faults.ThrowIfAny();
    }

    // An overlay goes on after a fault of its own; a simulation that met one must not.
    private sealed class Faults : ILogger<OverlayNode>
    {
        private Exception? _first;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel == LogLevel.Critical;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            _first ??= new ConformanceException($"{formatter(state, exception)} {exception}");

        public void ThrowIfAny()
        {
            if (_first is { } fault)
            {
                throw fault;
            }
        }
    }
}
