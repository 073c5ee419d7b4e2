namespace Geo.Directory;

/// <summary>
/// The latest of what a silo remembers to show, in memory alone: beyond the limit the oldest gives way to the newest, and is counted.
/// </summary>
/// <remarks>Safe to use from several threads. It takes memory as it fills.</remarks>
/// <param name="capacity">The most entries.</param>
internal sealed class Journal<T>(int capacity)
{
    private readonly Lock _lock = new();
    private readonly List<T> _entries = [];
    private int _oldest;
    private long _forgotten;

    /// <summary>How many entries have given way.</summary>
    public long Forgotten
    {
        get
        {
            lock (_lock)
            {
                return _forgotten;
            }
        }
    }

    /// <summary>Remembers an entry.</summary>
    public void Note(T entry)
    {
        lock (_lock)
        {
            if (_entries.Count < capacity)
            {
                _entries.Add(entry);
                return;
            }

            _forgotten++;
            if (capacity > 0)
            {
                _entries[_oldest] = entry;
                _oldest = (_oldest + 1) % capacity;
            }
        }
    }

    /// <summary>The newest entries, the last one first.</summary>
    /// <param name="most">How many at most.</param>
    /// <param name="isAsked">Which ones; any when null. Called under a lock.</param>
    public IReadOnlyList<T> Newest(int most, Func<T, bool>? isAsked = null)
    {
        lock (_lock)
        {
            var found = new List<T>();
            for (var back = 1; back <= _entries.Count && found.Count < most; back++)
            {
                var entry = _entries[(_oldest + _entries.Count - back) % _entries.Count];
                if (isAsked is null || isAsked(entry))
                {
                    found.Add(entry);
                }
            }

            return found;
        }
    }
}
