using System.Collections.Concurrent;

namespace Geo.Directory;

/// <summary>
/// Where this silo believes instances of other clusters to be: the entries in the state Cached, in memory alone, read by every call to
/// another cluster without touching the store. Beyond the limit the one used least recently gives way (second chance). A hint may be stale;
/// whoever follows it finds out.
/// </summary>
internal sealed class Hints(int capacity, DirectoryMetrics metrics)
{
    private const int MaxSpared = 64;

    private readonly ConcurrentDictionary<GrainKey, Hint> _hints = new();
    private readonly LinkedList<Hint> _queue = new();
    private readonly Lock _lock = new();

    public bool TryGet(GrainKey key, out Placement placement)
    {
        if (_hints.TryGetValue(key, out var hint))
        {
            hint.Used = true;
            placement = hint.Placement;
            return true;
        }

        placement = default;
        return false;
    }

    /// <summary>All that is remembered, in no order.</summary>
    public (GrainKey Key, Placement Placement)[] ToArray() => [.. _hints.Select(h => (h.Key, h.Value.Placement))];

    /// <summary>Remembers where an instance is.</summary>
    public void Set(GrainKey key, Placement placement)
    {
        lock (_lock)
        {
            Drop(key);
            if (_queue.Count >= capacity)
            {
                EvictOne();
                metrics.HintEvicted();
            }

            var hint = new Hint(key, placement);
            _queue.AddLast(hint.Place);
            _hints[key] = hint;
        }
    }

    /// <summary>Forgets a hint.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="named">Only if the hint names this cluster; whatever it names when none.</param>
    public void Remove(GrainKey key, ClusterId named = default)
    {
        lock (_lock)
        {
            if (named.IsNone || (_hints.TryGetValue(key, out var hint) && hint.Placement.Cluster == named))
            {
                Drop(key);
            }
        }
    }

    private void EvictOne()
    {
        // Readers mark hints all the while: after a few of them the next one goes, used or not, or the lock could be held for long.
        var first = _queue.First!;
        for (var spared = 0; first.Value.Used && spared < MaxSpared; spared++)
        {
            first.Value.Used = false;
            _queue.RemoveFirst();
            _queue.AddLast(first);
            first = _queue.First!;
        }

        Drop(first.Value.Key);
    }

    private void Drop(GrainKey key)
    {
        if (_hints.TryRemove(key, out var hint))
        {
            _queue.Remove(hint.Place);
        }
    }

    private sealed class Hint
    {
        public Hint(GrainKey key, Placement placement)
        {
            Key = key;
            Placement = placement;
            Place = new LinkedListNode<Hint>(this);
        }

        public GrainKey Key { get; }

        public Placement Placement { get; }

        public LinkedListNode<Hint> Place { get; }

        // Written without the lock by every reader; a lost mark costs a little precision of the eviction.
        public bool Used { get; set; }
    }
}
