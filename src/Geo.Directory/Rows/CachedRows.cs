using System.Collections.Concurrent;

namespace Geo.Directory;

/// <summary>
/// This silo's view of the Cached rows: hints where instances are, read by every call to another cluster without touching the store,
/// and the place where their number is bounded (second chance). A hint may be stale; whoever follows it finds out.
/// </summary>
internal sealed class CachedRows(int capacity, DirectoryMetrics metrics)
{
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

    /// <summary>Remembers where an instance is.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="placement">Elsewhere.</param>
    /// <param name="evicted">The grain whose Cached row is to be removed to make room.</param>
    /// <returns>True when one is to be removed.</returns>
    public bool Set(GrainKey key, Placement placement, out GrainKey evicted)
    {
        lock (_lock)
        {
            Drop(key);
            var victim = _queue.Count >= capacity ? TakeVictim() : null;
            var hint = new Hint(key, placement);
            _queue.AddLast(hint.Place);
            _hints[key] = hint;
            if (victim is not null)
            {
                evicted = victim.Key;
                metrics.CachedRowEvicted();
                return true;
            }
        }

        evicted = default;
        return false;
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

    private Hint? TakeVictim()
    {
        while (_queue.First is { } first)
        {
            if (first.Value.Used)
            {
                first.Value.Used = false;
                _queue.RemoveFirst();
                _queue.AddLast(first);
                continue;
            }

            Drop(first.Value.Key);
            return first.Value;
        }

        return null;
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
