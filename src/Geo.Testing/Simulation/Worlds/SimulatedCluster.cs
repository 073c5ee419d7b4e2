using Geo.Directory;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing;

/// <summary>A cluster of a simulated world: its silos and the store of its directory's rows.</summary>
public sealed class SimulatedCluster
{
    private readonly bool _keepsRows;
    private readonly Dictionary<string, TimeSpan> _dead = [];
    private readonly SortedDictionary<string, SimulatedStore> _kept = new(StringComparer.Ordinal);
    private InMemoryConditionalStore _memory = null!;
    private IConditionalStore _rows = null!;
    private IHeldWrites? _held;
    private int _clients;

    internal SimulatedCluster(SimulationWorld world, ClusterId id, Action<IHostApplicationBuilder> configure, int silos, bool keepsRows)
    {
        (World, Id, Configure, _keepsRows) = (world, id, configure, keepsRows);
        Silos = [.. Enumerable.Range(0, silos).Select(slot => new SimulatedSilo(this, slot))];
        Siblings = silos > 1 ? new SiblingNetwork(this) : null;
        ForgetRows();
        if (keepsRows)
        {
            RemoteRows = new SimulatedStore(_rows, world.Scheduler, world.Choices.Tape($"rows {id}"), $"{id}.rows", trace: world.Trace)
            {
                OnPoint = world.PassesPoint,
                Held = _held,
            };
        }
    }

    /// <summary>Raised when a silo has begun to serve, or no longer does.</summary>
    internal event Action<SimulatedSilo>? SiloChanged;

    /// <summary>The cluster's name.</summary>
    public ClusterId Id { get; }

    /// <summary>The silos, up or down.</summary>
    public IReadOnlyList<SimulatedSilo> Silos { get; }

    /// <summary>
    /// How often a silo has begun to start while no other one ran, in whatever state: a life of the cluster has begun no more often.
    /// </summary>
    internal int Lives { get; private set; }

    /// <summary>The way to the directory's rows, where they are kept outside of the silo; null where its memory holds them.</summary>
    public SimulatedStore? RemoteRows { get; }

    /// <summary>How long it takes at most until the silos of a cluster know that one of them has crashed.</summary>
    internal static TimeSpan MaxNoticed => SiblingNetwork.MaxNoticed;

    /// <summary>Limits and waits of silos that share the cluster.</summary>
    internal ClusterSiloOptions SiloOptions { get; set; } = new() { Clusters = [] };

    /// <summary>What several silos are to each other; null where one silo is the cluster.</summary>
    internal SiblingNetwork? Siblings { get; }

    /// <summary>The stores that the cluster keeps for itself besides, in which it keeps its part of what clusters keep together.</summary>
    internal IEnumerable<SimulatedStore> Kept => _kept.Values;

    /// <summary>True while an operator has said that the cluster is lost: nobody starts a silo of it.</summary>
    internal bool IsGivenUp { get; set; }

    internal SimulationWorld World { get; }

    internal Action<IHostApplicationBuilder> Configure { get; }

    /// <summary>The rows as they are, to be read by the invariants.</summary>
    internal IConditionalStore Rows => _memory;

    /// <summary>A silo of the cluster.</summary>
    public SimulatedSilo this[int slot] => Silos[slot];

    /// <summary>A client outside of the cluster, connected to the gateways of its silos.</summary>
    /// <param name="name">The name that the trace shows; one is made when null.</param>
    public SimulatedClient Client(string? name = null) => new(this, name ?? $"{Id}-client-{++_clients}");

    /// <summary>Crashes all silos that are not down.</summary>
    public void Crash()
    {
        foreach (var silo in Silos)
        {
            silo.Crash();
        }
    }

    /// <summary>All that the store of the directory's rows holds at present.</summary>
    public Task<IReadOnlyList<StoreEntry>> BackUpRowsAsync() => StoreBackup.TakeAsync(_memory);

    /// <summary>
    /// The store of the directory's rows goes back to an earlier backup. All promises hold, for the rows of an earlier life of a cluster
    /// bind nobody; but only while no silo of the cluster runs.
    /// </summary>
    /// <exception cref="InvalidOperationException">A silo of the cluster runs, or the rows are kept in its memory.</exception>
    public async Task RestoreRowsAsync(IReadOnlyList<StoreEntry> backup)
    {
        ArgumentNullException.ThrowIfNull(backup);
        if (!_keepsRows || Silos.Any(s => s.Present is not null))
        {
            throw new InvalidOperationException(
                $"The rows of {Id} cannot go back while a silo of it runs, or where they are not stored; see docs/simulation.md.");
        }

        World.Trace.Note($"{Id}.rows goes back");
        await StoreBackup.RestoreAsync(_memory, backup);
        World.Watch.RowsReplaced(this, backup);
    }

    /// <inheritdoc/>
    public override string ToString() => Id.ToString();

    /// <summary>Since when a node of this cluster has been dead; null while it lives, and of a node that was never here.</summary>
    internal TimeSpan? DeadSince(string? node) => node is not null && _dead.TryGetValue(node, out var since) ? since : null;

    internal IConditionalStore RowsFor(SimulatedSilo silo) => RemoteRows ?? _rows;

    /// <summary>A store that the cluster keeps for itself: it outlives the silos, and all of them share it.</summary>
    internal SimulatedStore KeptStore(string name)
    {
        if (!_kept.TryGetValue(name, out var store))
        {
            _kept[name] = store = new SimulatedStore(
                new InMemoryConditionalStore(), World.Scheduler, World.Choices.Tape($"{name} {Id}"), $"{Id}.{name}", trace: World.Trace)
            {
                OnPoint = World.PassesPoint,
            };
        }

        return store;
    }

    internal void BeginsToStart() => Lives += Silos.All(silo => silo.Present is null) ? 1 : 0;

    internal void Ended(string node) => _dead[node] = World.Time.Elapsed;

    internal void Changed(SimulatedSilo silo)
    {
        if (!_keepsRows && !silo.IsUp)
        {
            ForgetRows();
        }

        SiloChanged?.Invoke(silo);
    }

    private void ForgetRows()
    {
        _memory = new InMemoryConditionalStore();
        var rows = World.BreakRows?.Invoke(_memory) ?? _memory;
        _held = rows as IHeldWrites;
        _rows = new WatchedStore(rows, key => World.Watch.RowChanged(this, key));
        World.Watch.RowsReplaced(this, []);
    }
}
