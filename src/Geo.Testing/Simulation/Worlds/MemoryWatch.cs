using Geo.Consistency;

namespace Geo.Testing;

/// <summary>
/// Knows which volatile grains have lost confirmed updates as their rule allows: no memory is left that holds them. Every other loss is a
/// violation.
/// </summary>
internal sealed class MemoryWatch(SimulationWorld world)
{
    private readonly Dictionary<GrainKey, VersionBase> _confirmed = [];
    private readonly HashSet<string> _lost = new(StringComparer.Ordinal);
    private readonly HashSet<SiloIncarnation> _ended = [];

    /// <summary>True when what was confirmed of a grain, by its name, may be gone.</summary>
    public bool HasLost(string grain) => _lost.Contains(grain);

    /// <summary>All memories have ended: what is confirmed from now on is of a life that remembers nothing of the one before.</summary>
    public void BeginAnew()
    {
        _confirmed.Clear();
        _lost.Clear();
    }

    /// <summary>A silo is taken for gone: from now on others may begin anew what it remembers, though its process runs on.</summary>
    public void Fenced(SimulatedSilo silo)
    {
        if (silo.Present is { } present && !_ended.Contains(present))
        {
            Ends(silo);
        }
    }

    /// <summary>
    /// The memories of a silo end, or do not count any more because its cluster has declared it dead or fenced it off: what they alone hold
    /// is lost.
    /// </summary>
    public void Ends(SimulatedSilo silo)
    {
        if (silo.Present is not { Memories: { } ending } present)
        {
            return;
        }

        _ended.Add(present);
        var running = Running(world.Clusters);
        var others = running.Select(s => s.Memories!).ToList();
        foreach (var memory in ending.All)
        {
            Saw(memory.Key, memory.Replica);
            var shown = Shown(memory.Replica);
            if (memory.Replica.Leadership is { Confirmation: UpdateConfirmation.Leader }
                && !others.Any(o => o.Find(memory.Key)?.Replica.Log.BaseOf(shown.Version) == shown))
            {
                // A silo that was declared dead leads on under its lease, and confirms alone.
                Loses(memory.Key, shown);
            }
        }

        // What is on its way from one silo to another is left as long as both run.
        foreach (var (key, given) in ending.Given.All)
        {
            Saw(key, ReplicaOf(given));
        }

        foreach (var key in _confirmed.Keys.Concat(others.SelectMany(o => o.All).Select(m => m.Key)).Distinct().ToList())
        {
            var left = others.Select(o => o.Find(key)?.Replica).OfType<LeaderReplica>()
                .Concat(OnTheWay(key, running)).ToList();
            left.ForEach(replica => Saw(key, replica));
            var confirmed = _confirmed[key];
            if (!left.Any(r => r.Log.BaseOf(confirmed.Version) == confirmed))
            {
                Loses(key, confirmed);
            }
        }
    }

    /// <summary>
    /// A silo starts again with a list of clusters that others have left behind. Where no cluster of that list remembers a grain, it begins
    /// anew, beside the clusters of the newer list, and what one of the two confirms is lost (docs/consistency.md).
    /// </summary>
    public void StartsWithOldList(IEnumerable<SimulatedCluster> list)
    {
        var running = Running(list);
        foreach (var (key, confirmed) in _confirmed)
        {
            if (!running.Any(s => s.Memories!.Find(key)?.Replica.Log.BaseOf(confirmed.Version) == confirmed))
            {
                Loses(key, confirmed);
            }
        }
    }

    /// <summary>The silos of some clusters whose memories count.</summary>
    private List<SiloIncarnation> Running(IEnumerable<SimulatedCluster> clusters) =>
        [.. clusters.SelectMany(c => c.Silos).Select(s => s.Present).OfType<SiloIncarnation>()
            .Where(s => s.Memories is not null && !_ended.Contains(s))];

    private static IEnumerable<LeaderReplica> OnTheWay(GrainKey key, List<SiloIncarnation> running) =>
        from silo in running
        from given in silo.Memories!.Given.All
        where given.Key == key && running.Exists(to => to.Lane.Name == given.Memory.Node)
        select ReplicaOf(given.Memory);

    private static LeaderReplica ReplicaOf(GivenMemory given) => MemoryCodec.Read(given.Answer.AsSpan(1)).Replica;

    private static VersionBase Shown(LeaderReplica replica) => replica.Shown.BaseOf(replica.Shown.Version) ?? default;

    private void Loses(GrainKey key, VersionBase confirmed)
    {
        if (confirmed.Version > 0 && _lost.Add(key.ToString()))
        {
            world.Trace.Note($"no memory is left of version {confirmed.Version} of {key}");
        }
    }

    private void Saw(GrainKey key, LeaderReplica replica)
    {
        var shown = Shown(replica);
        if (!_confirmed.TryGetValue(key, out var known) || shown.Version > known.Version)
        {
            _confirmed[key] = shown;
        }
    }
}
