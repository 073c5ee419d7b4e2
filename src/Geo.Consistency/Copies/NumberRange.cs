namespace Geo.Consistency;

/// <summary>Updates of an instance by their numbers, which begin with 1: from one to another, with what is between them.</summary>
/// <param name="First">The number of the first one; 0 for none.</param>
/// <param name="Last">The number of the last one; 0 for none.</param>
internal readonly record struct NumberRange(long First, long Last)
{
    internal bool IsNone => Last == 0;

    internal bool Overlaps(NumberRange other) => First <= other.Last && other.First <= Last;

    /// <summary>Both, with all that is between them.</summary>
    internal NumberRange With(NumberRange other) =>
        IsNone ? other : other.IsNone ? this : new(Math.Min(First, other.First), Math.Max(Last, other.Last));

    /// <summary>
    /// The place of the first of the two neighbours that have the fewest numbers between them, in the older half: what is asked for is
    /// mostly new, and where many come that are near each other, the two newest would always be the nearest.
    /// </summary>
    /// <param name="ordered">Three or more, by their first numbers.</param>
    /// <param name="numbers">Which numbers one has.</param>
    internal static int NearestOfOlder<T>(List<T> ordered, Func<T, NumberRange> numbers)
    {
        var (nearest, least) = (0, long.MaxValue);
        for (var i = 0; i + 1 < (ordered.Count + 1) / 2; i++)
        {
            var between = numbers(ordered[i + 1]).First - numbers(ordered[i]).Last;
            (nearest, least) = between < least ? (i, between) : (nearest, least);
        }

        return nearest;
    }
}
