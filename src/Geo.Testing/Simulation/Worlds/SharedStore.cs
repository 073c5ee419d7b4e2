namespace Geo.Testing;

/// <summary>A store that all clusters share, and the way of each cluster to it, with its own trouble.</summary>
public sealed class SharedStore
{
    private readonly SortedDictionary<ClusterId, SimulatedStore> _ways = [];
    private readonly SimulationWorld _world;
    private readonly IConditionalStore _inner;

    internal SharedStore(SimulationWorld world, string name)
    {
        (_world, Name) = (world, name);
        var memory = new InMemoryConditionalStore();
        _inner = world.BreakState?.Invoke(memory) ?? memory;
    }

    /// <summary>The name under which silos use it.</summary>
    public string Name { get; }

    /// <summary>The ways that clusters have used so far.</summary>
    public IEnumerable<SimulatedStore> Ways => _ways.Values;

    /// <summary>All that the store holds at present.</summary>
    public Task<IReadOnlyList<StoreEntry>> BackUpAsync() => StoreBackup.TakeAsync(_inner);

    /// <summary>Goes back to an earlier backup: what was written since is gone. The versions of what changes are new ones.</summary>
    public Task RestoreAsync(IReadOnlyList<StoreEntry> backup)
    {
        ArgumentNullException.ThrowIfNull(backup);
        return StoreBackup.RestoreAsync(_inner, backup);
    }

    /// <summary>The way of a cluster to the store.</summary>
    public SimulatedStore From(ClusterId cluster)
    {
        if (!_ways.TryGetValue(cluster, out var way))
        {
            _ways[cluster] = way = new SimulatedStore(
                _inner, _world.Scheduler, _world.Choices.Tape($"store {Name} {cluster}"), $"{cluster}.{Name}", trace: _world.Trace)
            {
                OnPoint = _world.PassesPoint,
            };
        }

        return way;
    }
}
