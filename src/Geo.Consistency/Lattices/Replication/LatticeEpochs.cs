namespace Geo.Consistency.Lattices;

/// <summary>When the epochs ended whose updates are not acknowledged by all: at most so many, further apart the more there are.</summary>
internal sealed class LatticeEpochs
{
    private const int Most = 1024;

    private readonly List<(long Through, TimeSpan EndedAt)> _ends = [];

    /// <summary>An epoch has ended with the update of a number.</summary>
    internal void End(long through, TimeSpan now)
    {
        if (_ends.Count == Most)
        {
            // Of two neighbours the later one stands for both.
            var kept = _ends.Where((_, place) => place % 2 == 1).ToList();
            _ends.Clear();
            _ends.AddRange(kept);
        }

        _ends.Add((through, now));
    }

    /// <summary>All have the updates up to a number.</summary>
    internal void Trim(long through)
    {
        if (_ends.Count > 0 && _ends[0].Through <= through)
        {
            _ends.RemoveAll(e => e.Through <= through);
        }
    }

    /// <summary>How long ago the epoch of an update ended; nothing where it has not.</summary>
    internal TimeSpan Since(long number, TimeSpan now) =>
        _ends.Find(e => e.Through >= number) is { Through: > 0 } end ? now - end.EndedAt : TimeSpan.Zero;
}
