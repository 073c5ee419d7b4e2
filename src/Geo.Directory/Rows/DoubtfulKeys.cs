namespace Geo.Directory;

/// <summary>
/// The grains whose rows this silo has left, or found, without an established owner: what the resolver tries again. Those beyond the limit
/// are found again by way of <see cref="DoubtfulIndex"/>.
/// </summary>
internal sealed class DoubtfulKeys(int capacity, Action refused)
{
    private readonly Lock _lock = new();
    private readonly HashSet<GrainKey> _keys = [];

    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _keys.Count;
            }
        }
    }

    public void Add(GrainKey key)
    {
        lock (_lock)
        {
            if (_keys.Count < capacity || _keys.Contains(key))
            {
                _keys.Add(key);
                return;
            }
        }

        refused();
    }

    public bool Contains(GrainKey key)
    {
        lock (_lock)
        {
            return _keys.Contains(key);
        }
    }

    public void Remove(GrainKey key)
    {
        lock (_lock)
        {
            _keys.Remove(key);
        }
    }

    public GrainKey[] ToArray()
    {
        lock (_lock)
        {
            return [.. _keys];
        }
    }
}
