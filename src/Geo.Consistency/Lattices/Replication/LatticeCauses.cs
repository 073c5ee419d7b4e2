namespace Geo.Consistency.Lattices;

/// <summary>What the updates made here follow, by the epoch, as long as others may need them (design 3.2, dependencies).</summary>
internal sealed class LatticeCauses
{
    // As many as a cell has segments: what is older is joined, and whoever asks for a part of it waits for more than it follows.
    private const int MaxEpochs = 4;

    private readonly List<(long Through, VectorClock Follows)> _epochs = [];
    private VectorClock? _last;
    private long _begun = -1;

    /// <summary>An update follows something.</summary>
    /// <param name="number">The update.</param>
    /// <param name="epoch">The number that the present epoch began after.</param>
    /// <param name="follows">What all replicas are to show before.</param>
    internal void Note(long number, long epoch, VectorClock follows)
    {
        if (_begun == epoch && _epochs.Count > 0)
        {
            // Mostly one session after another has seen nothing new.
            var known = _epochs[^1].Follows;
            _epochs[^1] = (number, ReferenceEquals(_last, follows) || known.Covers(follows) ? known : known.Merge(follows));
            _last = follows;
            return;
        }

        if (_epochs.Count == MaxEpochs)
        {
            _epochs[1] = (_epochs[1].Through, _epochs[0].Follows.Merge(_epochs[1].Follows));
            _epochs.RemoveAt(0);
        }

        _epochs.Add((number, follows));
        (_last, _begun) = (follows, epoch);
    }

    /// <summary>What the updates after a number follow.</summary>
    internal VectorClock Since(long after) =>
        _epochs.Where(e => e.Through > after).Aggregate(VectorClock.Bottom, (follows, e) => follows.Merge(e.Follows));

    /// <summary>All others have the updates up to a number.</summary>
    internal void Trim(long through) => _epochs.RemoveAll(e => e.Through <= through);
}
