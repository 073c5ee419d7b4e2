namespace Geo.Consistency;

/// <summary>
/// Which of an instance's updates were refused because their condition did not hold. Who raised them was told; a tentative read may have
/// shown them to others before.
/// </summary>
/// <remarks>
/// As many runs of numbers are told apart as <see cref="Most"/>; then the two nearest among the older become one, of which less is said.
/// </remarks>
internal sealed class RefusedUpdates
{
    private const int Most = 16;

    private readonly List<(NumberRange Numbers, bool IsCertain)> _runs = [];

    /// <summary>All of them, of which others are told.</summary>
    internal NumberRanges All => NumberRanges.Of(_runs.Select(r => r.Numbers));

    /// <param name="number">Which.</param>
    /// <param name="isCertain">False where it may be in a version.</param>
    internal void Add(long number, bool isCertain)
    {
        var place = _runs.FindLastIndex(r => r.Numbers.First < number) + 1;
        if (place > 0 && _runs[place - 1] is var before && before.Numbers.Last >= number - 1 && before.IsCertain == isCertain)
        {
            _runs[place - 1] = (before.Numbers.With(new(number, number)), isCertain);
            return;
        }

        _runs.Insert(place, (new(number, number), isCertain));
        if (_runs.Count > Most)
        {
            var nearest = NumberRange.NearestOfOlder(_runs, r => r.Numbers);
            var (one, other) = (_runs[nearest], _runs[nearest + 1]);
            var isRun = one.Numbers.Last + 1 == other.Numbers.First && one.IsCertain && other.IsCertain;
            _runs[nearest] = (one.Numbers.With(other.Numbers), isRun);
            _runs.RemoveAt(nearest + 1);
        }
    }

    /// <summary>What became of those that a session has seen; null where none of them is among these.</summary>
    /// <param name="seen">What a tentative read has shown.</param>
    internal MarkState? StateOf(NumberRange seen)
    {
        MarkState? state = null;
        foreach (var (numbers, isCertain) in _runs)
        {
            if (numbers.Overlaps(seen))
            {
                state = isCertain && seen.Last <= numbers.Last ? MarkState.Lost : state ?? MarkState.Doubtful;
            }
        }

        return state;
    }
}
