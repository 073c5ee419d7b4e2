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

    /// <summary>True when what was confirmed of a grain, by its name, may be gone.</summary>
    public bool HasLost(string grain) => _lost.Contains(grain);

    /// <summary>
    /// The memories of a silo end, or do not count any more because its cluster has declared it dead: what they alone hold is lost.
    /// </summary>
    public void Ends(SimulatedSilo silo)
    {
        if (silo.Present?.Memories is not { } ending)
        {
            return;
        }

        var others = world.Clusters.SelectMany(c => c.Silos).Where(s => s != silo && !s.IsDeclaredDead)
            .Select(s => s.Present?.Memories).OfType<ReplicaMemories>().ToList();
        foreach (var memory in ending.All)
        {
            var left = others.Select(o => o.Find(memory.Key)?.Replica).OfType<LeaderReplica>().ToList();
            var confirmed = left.Append(memory.Replica).Select(r => r.Shown.BaseOf(r.Shown.Version) ?? default)
                .Append(_confirmed.GetValueOrDefault(memory.Key)).MaxBy(b => b.Version);
            _confirmed[memory.Key] = confirmed;
            if (confirmed.Version > 0 && !left.Any(r => r.Log.BaseOf(confirmed.Version) == confirmed) && _lost.Add(memory.Key.ToString()))
            {
                world.Trace.Note($"no memory is left of version {confirmed.Version} of {memory.Key}");
            }
        }
    }
}
