using Geo.Directory;

namespace Geo.Testing;

/// <summary>What must hold of the directories' rows and of the instances at every moment, and once everything has healed.</summary>
internal sealed class WorldWatch(SimulationWorld world)
{
    private readonly RowWatch _rows = new(world);
    private readonly LeaseRowWatch _leases = new(world);
    private readonly IncarnationWatch _incarnations = new(world);
    private readonly Dictionary<GrainKey, List<Instance>> _instances = [];
    private readonly Dictionary<GrainKey, GrainDeclaration> _declarations = [];

    private readonly Dictionary<GrainKey, long> _epochs = [];

    // Grains with two instances of which one at most may serve: few, and looked at after every step.
    private readonly List<GrainKey> _contested = [];

    /// <summary>A row of a cluster has been written or deleted.</summary>
    public void RowChanged(SimulatedCluster cluster, string key)
    {
        if (key.StartsWith(GlobalDirectory.RowPrefix, StringComparison.Ordinal))
        {
            _rows.Changed(cluster, key);
        }
        else if (key.StartsWith(LeaseRow.Prefix, StringComparison.Ordinal))
        {
            _leases.Changed(cluster, key);
        }
        else if (key == ClusterIncarnation.Key)
        {
            _incarnations.Changed(cluster);
        }
    }

    /// <summary>The rows of a cluster are others now: none, or those of a backup.</summary>
    public void RowsReplaced(SimulatedCluster cluster, IReadOnlyList<StoreEntry> rows)
    {
        _rows.Replaced(cluster, rows);
        _leases.Replaced(cluster);
        _incarnations.Replaced(cluster);
    }

    /// <summary>A cluster is dead and nobody waits for it: what its rows say of silos that are dead binds nobody any more.</summary>
    public void GivenUp(SimulatedCluster cluster) => _rows.GivenUp(cluster);

    /// <summary>What a cluster's row of a grain says now.</summary>
    public GsiState StateOf(ClusterId cluster, string grain) => _rows.StateOf(cluster, GlobalDirectory.RowPrefix + grain);

    /// <summary>An instance is about to run its first code.</summary>
    public void InstanceBegins(SimulatedSilo silo, SimulationLane lane, GrainKey key, GrainDeclaration declaration)
    {
        if (declaration.Instancing == Instancing.ClusterLocal)
        {
            return;
        }

        world.Trace.Note($"creates {key}");
        _declarations[key] = declaration;
        var instance = new Instance(silo, lane, key, declaration.IsOwnedByQuorum);
        Live(key).Add(instance);
        CheckEpoch(instance);
        if (Check(key) && !_contested.Contains(key))
        {
            _contested.Add(key);
        }
    }

    /// <summary>An instance has run its last code.</summary>
    public void InstanceEnded(SimulationLane lane, GrainKey key)
    {
        if (Live(key).RemoveAll(i => i.Lane == lane) > 0)
        {
            world.Trace.Note($"ended {key}");
            world.Counts.Deactivations++;
        }
    }

    /// <summary>True where a node has an instance of a grain that may serve.</summary>
    public bool HasInstance(string node, GrainKey key) => Live(key).Exists(i => i.Lane.Name == node && i.MayServe);

    /// <summary>
    /// True where a node has an instance of a grain that serves nobody any more, and another one has one that may serve: what the first
    /// tells its callers now is not the grain's word.
    /// </summary>
    public bool IsReplaced(string node, GrainKey key) =>
        !HasInstance(node, key) && Live(key).Exists(i => i.Lane.Name != node && i.MayServe);

    /// <summary>What time may break with no write at all: of all silos and instances few are concerned, and those are looked at.</summary>
    public void CheckStep()
    {
        CheckContested();
        _leases.CheckFenced();
    }

    /// <summary>Two instances of which one serves nobody may be two that serve a moment later.</summary>
    private void CheckContested()
    {
        for (var i = _contested.Count - 1; i >= 0; i--)
        {
            if (!Check(_contested[i]))
            {
                _contested.RemoveAt(i);
            }
        }
    }

    /// <summary>
    /// After everything has healed, a single-instance grain has one instance at most, and every row says what it will say for good.
    /// </summary>
    public void CheckSettled()
    {
        foreach (var key in _declarations.Where(d => d.Value.Instancing == Instancing.GlobalSingle).Select(d => d.Key))
        {
            if (Live(key) is { Count: > 1 } live)
            {
                world.Fail($"{key} still has instances in {string.Join(" and ", live.Select(i => i.Lane.Name))}");
            }
        }

        _rows.CheckSettled();
    }

    /// <summary>
    /// Whoever owns a grain has a higher epoch than all owners before: by majority always, otherwise as far as the clocks agree, and of an
    /// instance in doubt nobody knows.
    /// </summary>
    private void CheckEpoch(Instance instance)
    {
        if (!instance.MayServe || instance.Epoch is not { } epoch
            || (!instance.IsOwnedByQuorum
                && (world.Clusters.Any(c => c.Silos.Any(s => s.Clock.HasDiffered))
                    || StateOf(instance.Silo.Cluster.Id, instance.Key.ToString()) != GsiState.Owned)))
        {
            return;
        }

        if (_epochs.TryGetValue(instance.Key, out var last) && epoch <= last)
        {
            world.Fail($"{instance.Key} has epoch {epoch} in {instance.Lane.Name} after epoch {last}");
        }

        _epochs[instance.Key] = epoch;
    }

    /// <summary>
    /// A cluster never has two instances of a grain, and a single-instance grain that is not optimistic never has two at all, whatever
    /// happens.
    /// </summary>
    /// <returns>True where there are two of which one at most may serve.</returns>
    private bool Check(GrainKey key)
    {
        var isContested = false;
        var declaration = _declarations[key];
        var isSingle = declaration.Instancing == Instancing.GlobalSingle;
        var live = Live(key);
        for (var i = 1; i < live.Count; i++)
        {
            for (var j = 0; j < i; j++)
            {
                // Of a grain with an instance in each cluster several silos may have one each for a while; its versions do not mind.
                var (one, other) = (live[j], live[i]);
                var isOneCluster = one.Silo.Cluster == other.Silo.Cluster && (isSingle || one.Silo.Cluster.Silos.Count == 1);
                var isPessimistic = isSingle && declaration.Mode != SingleInstanceMode.Optimistic;
                isContested |= isOneCluster || isPessimistic;
                if ((isOneCluster || isPessimistic) && one.MayServe && other.MayServe)
                {
                    var what = isPessimistic
                        ? $"is {declaration.Mode.ToString().ToLowerInvariant()} and has instances in"
                        : "has two instances in one cluster:";
                    world.Fail($"{key} {what} {one.Lane.Name} and {other.Lane.Name}");
                }
            }
        }

        return isContested;
    }

    private List<Instance> Live(GrainKey key)
    {
        if (!_instances.TryGetValue(key, out var instances))
        {
            _instances[key] = instances = [];
        }

        instances.RemoveAll(i => i.Lane.IsHalted);
        return instances;
    }

    private sealed record Instance(SimulatedSilo Silo, SimulationLane Lane, GrainKey Key, bool IsOwnedByQuorum)
    {
        /// <summary>An instance in a silo without its lease serves nobody: it may be replaced before it knows.</summary>
        public bool MayServe => Silo.Present is not { } present || present.Lane != Lane
            || (IsOwnedByQuorum ? present.TenancyOf(Key) is { MayServe: true } : present.MayServe);

        public long? Epoch => Silo.Present is { } present && present.Lane == Lane ? present.TenancyOf(Key)?.Epoch : null;
    }
}
