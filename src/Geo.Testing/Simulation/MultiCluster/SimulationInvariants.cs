using Geo.Directory;

namespace Geo.Testing;

/// <summary>What must hold of the directories' rows and the instances at every moment, and of the logs at the end.</summary>
internal sealed class SimulationInvariants(SimulationWorld world)
{
    private readonly Dictionary<(ClusterId Cluster, string Key), GsiEntry> _known = [];
    private readonly Dictionary<GrainKey, List<SimulatedGrain>> _instances = [];

    /// <summary>Propositions 3.1 and 3.2 of GEO section 3.3, read from the rows themselves.</summary>
    public void RowChanged(SimulatedCluster cluster, string key)
    {
        if (!key.StartsWith(GlobalDirectory.RowPrefix, StringComparison.Ordinal))
        {
            return;
        }

        Count(cluster, key);
        var entries = world.Clusters.Select(c => (c.Id, Entry: Entry(c, key))).ToArray();
        var owners = entries.Where(e => e.Entry.State == GsiState.Owned).Select(e => e.Id).ToArray();
        if (owners.Length > 1)
        {
            world.Fail($"Proposition 3.1 is broken: {key} is Owned in {string.Join(" and ", owners)}");
        }

        var running = entries.Where(e => e.Entry.State is GsiState.Owned or GsiState.Doubtful).Select(e => e.Id).ToArray();
        if (running.Length > 1 && world.Faults == SimulatedFaults.None)
        {
            world.Fail($"Proposition 3.2 is broken: without loss {key} is Owned or Doubtful in {string.Join(" and ", running)}");
        }
    }

    /// <summary>A cluster never has two instances of a grain, and a pessimistic grain never has two at all, whatever happens.</summary>
    public void InstanceCreated(SimulatedGrain grain, ClusterId cluster)
    {
        var live = LiveInstances(grain.Key);
        live.Add(grain);
        var nodes = string.Join(" and ", live.Select(g => g.Silo.Node));
        if (SimulatedGrainKind.Of(grain.Key) == SimulatedGrainKind.Pessimistic && live.Count > 1)
        {
            world.Fail($"{grain.Key} is pessimistic and has instances in {nodes}");
        }

        if (live.Count(g => g.Silo.Cluster == cluster) > 1)
        {
            world.Fail($"{grain.Key} has two instances in one cluster: {nodes}");
        }
    }

    /// <summary>After everything has healed, a single-instance grain has one instance at most, and no row is left in doubt.</summary>
    public void CheckSettled()
    {
        foreach (var key in world.Grains().Where(key => SimulatedGrainKind.Of(key).IsSingle))
        {
            var live = LiveInstances(key);
            if (live.Count > 1)
            {
                world.Fail($"{key} still has instances in {string.Join(" and ", live.Select(g => g.Silo.Node))}");
            }

            foreach (var cluster in world.Clusters)
            {
                var entry = Entry(cluster, GlobalDirectory.RowPrefix + key);
                if (entry.State is GsiState.Doubtful)
                {
                    world.Fail($"the row of {key} in {cluster.Id} is still Doubtful");
                }
            }
        }
    }

    /// <summary>No confirmed update is lost or there twice, every version shown is a prefix of the final log, and the history is linearizable.</summary>
    public void CheckLogs(IReadOnlyDictionary<GrainKey, IReadOnlyList<int>> logs)
    {
        foreach (var (key, log) in logs)
        {
            if (log.GroupBy(update => update).FirstOrDefault(g => g.Count() > 1) is { } twice)
            {
                world.Fail($"{key} has update {twice.Key} {twice.Count()} times");
            }

            var prefixes = Enumerable.Range(0, log.Count + 1).Select(count => LogPrefix.Of(log, count)).ToArray();
            foreach (var (_, observer, seen) in world.Observations.Where(o => o.Key == key))
            {
                if (seen.Count > log.Count || prefixes[seen.Count] != seen)
                {
                    world.Fail($"{observer} showed version {seen.Count}, which is no prefix of the {log.Count} updates of {key} at the end");
                }
            }
        }

        foreach (var operation in world.History.Operations.Where(o => o.ReturnedAt is not null))
        {
            foreach (var update in operation.Operation.Updates.Except(logs[operation.Operation.Key]))
            {
                world.Fail($"update {update} of {operation.Operation.Key} was confirmed to {operation.Process} and is lost");
            }
        }

        var verdicts = logs.Select(log => LinearizabilityChecker.Check(Of(log.Key), LogModel(log.Value)));
        if (verdicts.FirstOrDefault(v => v.Outcome != LinearizabilityOutcome.Linearizable) is { } verdict)
        {
            world.Fail(verdict.Explanation);
        }
    }

    /// <summary>
    /// The grain as one client after the other would see it, knowing the log at the end: an append happens where the log says so, which
    /// leaves the search next to nothing to try.
    /// </summary>
    private static SequentialModel<int, SimulatedCall, LogPrefix> LogModel(IReadOnlyList<int> log)
    {
        var prefixes = Enumerable.Range(0, log.Count + 1).Select(count => LogPrefix.Of(log, count)).ToArray();
        return new SequentialModel<int, SimulatedCall, LogPrefix>(0, (length, call) =>
            call.Updates.Count == 0 ? (length, prefixes[length])
            : log.Skip(length).Take(call.Updates.Count).SequenceEqual(call.Updates) ? (length + call.Updates.Count, default)
            : null);
    }

    private History<SimulatedCall, LogPrefix> Of(GrainKey key) => world.History.Only(key.ToString());

    private List<SimulatedGrain> LiveInstances(GrainKey key)
    {
        if (!_instances.TryGetValue(key, out var instances))
        {
            _instances[key] = instances = [];
        }

        instances.RemoveAll(grain => !grain.IsLive);
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
}
