namespace Geo.Directory;

/// <summary>
/// The grains whose rows this silo has left, or found, without an established owner: what the resolver tries again. Those beyond the limit
/// are found again by way of <see cref="DoubtfulIndex"/>.
/// </summary>
internal sealed class DoubtfulKeys(int capacity, TimeProvider time, Action refused)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<GrainKey, long> _since = [];

    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _since.Count;
            }
        }
    }

    /// <summary>How many there are, and how long the oldest has been one of them.</summary>
    public DoubtfulStatus Status
    {
        get
        {
            lock (_lock)
            {
                return new(_since.Count, _since.Count == 0 ? TimeSpan.Zero : time.GetElapsedTime(_since.Values.Min()));
            }
        }
    }

    public void Add(GrainKey key)
    {
        lock (_lock)
        {
            if (_since.Count < capacity || _since.ContainsKey(key))
            {
                _since.TryAdd(key, time.GetTimestamp());
                return;
            }
        }

        refused();
    }

    public bool Contains(GrainKey key)
    {
        lock (_lock)
        {
            return _since.ContainsKey(key);
        }
    }

    public void Remove(GrainKey key)
    {
        lock (_lock)
        {
            _since.Remove(key);
        }
    }

    public GrainKey[] ToArray()
    {
        lock (_lock)
        {
            return [.. _since.Keys];
        }
    }
}
