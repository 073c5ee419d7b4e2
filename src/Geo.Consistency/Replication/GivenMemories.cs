namespace Geo.Consistency;

/// <summary>
/// The memories that a silo has given to others of its cluster which have not said yet that they have them: who asks again gets the same,
/// and a silo that stops brings them. As many and as much as memories of grains that are not active; the oldest makes room. Safe for
/// concurrent use.
/// </summary>
internal sealed class GivenMemories(VersionedLeaderOptions options)
{
    private readonly Lock _gate = new();
    private readonly OrderedDictionary<GrainKey, GivenMemory> _entries = [];
    private long _bytes;

    /// <summary>Those of one moment, the oldest first.</summary>
    internal IReadOnlyList<(GrainKey Key, GivenMemory Memory)> All
    {
        get
        {
            lock (_gate)
            {
                return [.. _entries.Select(entry => (entry.Key, entry.Value))];
            }
        }
    }

    /// <summary>What was given for an offer; null where it was not, or has arrived.</summary>
    internal byte[]? Find(GrainKey key, long offer)
    {
        lock (_gate)
        {
            return _entries.TryGetValue(key, out var entry) && entry.Offer == offer ? entry.Answer : null;
        }
    }

    /// <summary>Keeps what is given now, in the place of what was given of the grain before.</summary>
    internal void Add(GrainKey key, GivenMemory given)
    {
        lock (_gate)
        {
            Remove(key);
            _entries.Add(key, given);
            _bytes += given.Answer.Length;
            while (_entries.Count > options.MaxParked || (_bytes > options.MaxParkedBytes && _entries.Count > 1))
            {
                Remove(_entries.GetAt(0).Key);
                ConsistencyMetrics.MemoriesDropped.Add(1);
            }
        }
    }

    /// <summary>Who was given a memory for an offer has it, or has ended.</summary>
    internal void Arrived(GrainKey key, long offer)
    {
        lock (_gate)
        {
            if (Find(key, offer) is not null)
            {
                Remove(key);
            }
        }
    }

    /// <summary>What was given before does not count any more.</summary>
    internal void Remove(GrainKey key)
    {
        lock (_gate)
        {
            if (_entries.Remove(key, out var entry))
            {
                _bytes -= entry.Answer.Length;
            }
        }
    }
}
