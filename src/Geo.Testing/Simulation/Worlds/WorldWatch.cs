using Geo.Directory;

namespace Geo.Testing;

/// <summary>What must hold of the directories' rows and of the instances at every moment, and once everything has healed.</summary>
internal sealed class WorldWatch(SimulationWorld world)
{
    private readonly Dictionary<(ClusterId Cluster, string Key), GsiEntry> _known = [];
    private readonly Dictionary<GrainKey, List<Instance>> _instances = [];
    private readonly Dictionary<GrainKey, GrainDeclaration> _declarations = [];

    /// <summary>Propositions 3.1 and 3.2 of GEO section 3.3, read from the rows themselves.</summary>
    public void RowChanged(SimulatedCluster cluster, string key)
    {
        if (!key.StartsWith(GlobalDirectory.RowPrefix, StringComparison.Ordinal))
        {
            return;
        }

        Count(cluster, key);
        var (owners, running) = (0, 0);
        foreach (var each in world.Clusters)
        {
            var state = Entry(each, key).State;
            owners += state == GsiState.Owned ? 1 : 0;
            running += state is GsiState.Owned or GsiState.Doubtful ? 1 : 0;
        }

        if (owners > 1)
        {
            world.Fail($"Proposition 3.1 is broken: {key} is Owned in {Where(key, GsiState.Owned, GsiState.Owned)}");
        }

        if (running > 1 && world.IsReliable)
        {
            world.Fail($"Proposition 3.2 is broken: without loss {key} is Owned or Doubtful in {Where(key, GsiState.Owned, GsiState.Doubtful)}");
        }
    }

    /// <summary>A cluster never has two instances of a grain, and a pessimistic single-instance grain never has two at all, whatever happens.</summary>
    public void InstanceBegins(SimulatedSilo silo, SimulationLane lane, GrainKey key, GrainDeclaration declaration)
    {
        if (declaration.Instancing == Instancing.ClusterLocal)
        {
            return;
        }

        world.Trace.Note($"creates {key}");
        _declarations[key] = declaration;
        Live(key).Add(new Instance(silo, lane));

        // An instance in a silo without its lease serves nobody: it may be replaced before it knows.
        var live = Live(key).FindAll(i => i.Silo.Present is not { } present || present.Lane != i.Lane || present.MayServe);
        var places = string.Join(" and ", live.Select(i => i.Lane.Name));
        if (declaration is { Instancing: Instancing.GlobalSingle, Mode: SingleInstanceMode.Pessimistic } && live.Count > 1)
        {
            world.Fail($"{key} is pessimistic and has instances in {places}");
        }

        // Of a grain with an instance in each cluster several silos may have one each for a while; its versions do not mind.
        if ((declaration.Instancing == Instancing.GlobalSingle || silo.Cluster.Silos.Count == 1) && live.Count(i => i.Silo.Cluster == silo.Cluster) > 1)
        {
            world.Fail($"{key} has two instances in one cluster: {places}");
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

    /// <summary>After everything has healed, a single-instance grain has one instance at most, and every row says what it will say for good.</summary>
    public void CheckSettled()
    {
        foreach (var key in _declarations.Where(d => d.Value.Instancing == Instancing.GlobalSingle).Select(d => d.Key))
        {
            if (Live(key) is { Count: > 1 } live)
            {
                world.Fail($"{key} still has instances in {string.Join(" and ", live.Select(i => i.Lane.Name))}");
            }
        }

        foreach (var (at, _) in _known)
        {
            var entry = Entry(world.Clusters.Single(c => c.Id == at.Cluster), at.Key);
            if (entry.State is GsiState.Doubtful or GsiState.Requested || entry.IsYielding)
            {
                world.Fail($"the row of {at.Key} in {at.Cluster} is still {(entry.IsYielding ? "yielding" : entry.State)}");
            }
        }
    }

    private string Where(string key, GsiState one, GsiState other) =>
        string.Join(" and ", world.Clusters.Where(c => Entry(c, key).State is var state && (state == one || state == other)).Select(c => c.Id));

    private List<Instance> Live(GrainKey key)
    {
        if (!_instances.TryGetValue(key, out var instances))
        {
            _instances[key] = instances = [];
        }

        instances.RemoveAll(i => i.Lane.IsHalted);
        return instances;
    }

    private void Count(SimulatedCluster cluster, string key)
    {
        var entry = Entry(cluster, key);
        var before = _known.GetValueOrDefault((cluster.Id, key), GsiEntry.Invalid);
        _known[(cluster.Id, key)] = entry;
        world.Trace.Note($"{cluster.Id} {key} {before.State}>{entry.State}");
        world.Counts.Rounds += entry.State == GsiState.Requested && entry.Round != before.Round ? 1 : 0;
        world.Counts.Doubtful += entry.State == GsiState.Doubtful && before.State != GsiState.Doubtful ? 1 : 0;
        world.Counts.Losers += entry.State == GsiState.Loser && before.State != GsiState.Loser ? 1 : 0;
    }

    private static GsiEntry Entry(SimulatedCluster cluster, string key)
    {
        var read = cluster.Rows.ReadAsync(key).AsTask().GetAwaiter().GetResult();
        return read.Outcome == StoreReadOutcome.Found ? GsiEntry.Decode(read.Value.Span) : GsiEntry.Invalid;
    }

    private sealed record Instance(SimulatedSilo Silo, SimulationLane Lane);
}
