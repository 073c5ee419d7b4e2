using System.Runtime.InteropServices;

namespace Geo.Consistency.Lattices;

/// <summary>
/// Counts calls by grain in bounded room: of more grains than it has room for it keeps those that are called most (space-saving, Metwally
/// and others, ICDT 2005), and never counts a call that was not made. Not thread-safe.
/// </summary>
internal sealed class CallSketch(int room)
{
    private readonly Dictionary<GrainKey, (long Count, long Guessed)> _counts = new(room);

    /// <summary>How many grains it knows.</summary>
    internal int Grains => _counts.Count;

    /// <summary>Counts a call.</summary>
    /// <returns>How many of the grain were made for certain.</returns>
    internal long Add(GrainKey grain)
    {
        ref var known = ref CollectionsMarshal.GetValueRefOrNullRef(_counts, grain);
        if (!System.Runtime.CompilerServices.Unsafe.IsNullRef(ref known))
        {
            known.Count++;
            return known.Count - known.Guessed;
        }

        var before = 0L;
        if (_counts.Count == room)
        {
            // A grain that is not known may have been called as often as the one that is known least.
            var least = _counts.MinBy(static c => c.Value.Count);
            before = least.Value.Count;
            _counts.Remove(least.Key);
        }

        _counts[grain] = (before + 1, before);
        return 1;
    }

    internal void Clear() => _counts.Clear();
}
