namespace Geo.Directory;

/// <summary>
/// The grains of which this silo, or the one that has a grain placed here, has just looked for a row and found none, so that the
/// acquisition that a host begins then need not look again: a first access reads its row once. Whether there still is none the
/// acquisition's first write finds out, as it does when it has read the row itself.
/// </summary>
/// <param name="capacity">Beyond so many all are forgotten, which costs each a read.</param>
internal sealed class AbsentRows(int capacity)
{
    private readonly HashSet<GrainKey> _keys = [];
    private readonly Lock _lock = new();

    /// <summary>A look at a grain's row has ended.</summary>
    public void Note(GrainKey key, bool isAbsent)
    {
        lock (_lock)
        {
            if (!isAbsent)
            {
                _keys.Remove(key);
                return;
            }

            if (_keys.Count >= capacity)
            {
                _keys.Clear();
            }

            _keys.Add(key);
        }
    }

    /// <summary>True when the last look at the row found none, and no acquisition has begun since.</summary>
    public bool Take(GrainKey key)
    {
        lock (_lock)
        {
            return _keys.Remove(key);
        }
    }
}
