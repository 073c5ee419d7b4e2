namespace Geo.Consistency.Lattices;

/// <summary>
/// Frames that wait for what they follow. Merged intervals of updates may follow each other in a circle, so a whole set of them is taken
/// at once (design 3.3).
/// </summary>
/// <param name="maxBytes">How many bytes may wait; further frames are dropped, and are sent again.</param>
internal sealed class LatticeHeld(long maxBytes)
{
    private readonly Dictionary<ReplicaId, List<HeldFrame>> _bySource = [];
    private long _bytes;

    internal bool IsEmpty => _bySource.Count == 0;

    /// <summary>The number up to which frames of a source wait without a gap; 0 where none does.</summary>
    internal long Through(ReplicaId source) => _bySource.TryGetValue(source, out var frames) ? frames[^1].Head.Through : 0;

    /// <summary>Keeps a frame that leaves no gap to what is here and waits.</summary>
    /// <returns>False when there is no room.</returns>
    internal bool TryAdd(ReplicaId source, LatticeFrameHead head, ReadOnlySpan<byte> message, TimeSpan now)
    {
        if (_bytes + message.Length > maxBytes)
        {
            return false;
        }

        if (!_bySource.TryGetValue(source, out var frames))
        {
            _bySource.Add(source, frames = []);
        }

        _bytes += message.Length;
        frames.Add(new(source, head, message.ToArray(), now));
        return true;
    }

    /// <summary>
    /// Takes all frames that follow nothing but what is here and each other, and lets go of those that have come otherwise.
    /// </summary>
    internal IReadOnlyList<HeldFrame> Take(VectorClock applied)
    {
        foreach (var (source, frames) in _bySource.ToArray())
        {
            Remove(source, frames.FindAll(f => f.Head.Through <= applied[source]));
        }

        var counts = _bySource.ToDictionary(s => s.Key, s => s.Value.Count);
        for (var shrinks = true; shrinks;)
        {
            shrinks = false;
            var reached = LatticeRules.IsOff(LatticeRule.ClosedSets) ? applied : counts.Where(c => c.Value > 0)
                .Aggregate(applied, (all, c) => all.Merge(VectorClock.Of(c.Key, _bySource[c.Key][c.Value - 1].Head.Through)));
            foreach (var (source, count) in counts.ToArray())
            {
                var ready = _bySource[source].FindIndex(f => !reached.Covers(f.Head.Follows));
                if (ready >= 0 && ready < count)
                {
                    (counts[source], shrinks) = (ready, true);
                }
            }
        }

        var taken = counts.OrderBy(c => c.Key).SelectMany(c => _bySource[c.Key].Take(c.Value)).ToList();
        foreach (var frames in taken.GroupBy(f => f.Source))
        {
            Remove(frames.Key, [.. frames]);
        }

        return taken;
    }

    /// <summary>
    /// Lets go of the frames of sources that are no replicas any more, where the first has waited since a time: what it follows may never
    /// come. Until then nobody else may have what they have.
    /// </summary>
    internal void Forget(Func<ReplicaId, bool> isGone, TimeSpan since)
    {
        foreach (var (source, frames) in _bySource.Where(s => s.Value[0].Since <= since && isGone(s.Key)).ToArray())
        {
            Remove(source, [.. frames]);
        }
    }

    private void Remove(ReplicaId source, IReadOnlyCollection<HeldFrame> frames)
    {
        _bytes -= frames.Sum(f => (long)f.Message.Length);
        var left = _bySource[source];
        left.RemoveAll(frames.Contains);
        if (left.Count == 0)
        {
            _bySource.Remove(source);
        }
    }
}
