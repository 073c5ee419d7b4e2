namespace Geo.Directory;

/// <summary>
/// What was looked for in vain a short while ago: the latest <paramref name="capacity"/> at least, and at most twice as many. Where there
/// is no room the older half gives way, so that what was looked for just now stays however much there is. Not safe to use from several
/// threads.
/// </summary>
/// <param name="capacity">How many are remembered.</param>
/// <param name="time">The clock.</param>
internal sealed class VainLooks(int capacity, TimeProvider time)
{
    private Dictionary<(GrainKey, ClusterId), (long Since, TimeSpan Validity)> _young = [];
    private Dictionary<(GrainKey, ClusterId), (long Since, TimeSpan Validity)> _old = [];

    /// <summary>Whether a look was in vain less than the time ago for which that counts.</summary>
    public bool Counts((GrainKey, ClusterId) look) =>
        (_young.TryGetValue(look, out var vain) || _old.TryGetValue(look, out vain)) && time.GetElapsedTime(vain.Since) < vain.Validity;

    /// <summary>A look has ended in vain, which counts for a time.</summary>
    public void Add((GrainKey, ClusterId) look, TimeSpan validity)
    {
        if (_young.Count >= capacity && !_young.ContainsKey(look))
        {
            (_old, _young) = (_young, []);
        }

        _young[look] = (time.GetTimestamp(), validity);
    }

    /// <summary>A look has found the grain.</summary>
    public void Remove((GrainKey, ClusterId) look)
    {
        _young.Remove(look);
        _old.Remove(look);
    }
}
