namespace Geo.Directory;

/// <summary>The grains whose rows this silo has left, or found, without an established owner: what the resolver tries again.</summary>
internal sealed class DoubtfulKeys
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
            _keys.Add(key);
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
