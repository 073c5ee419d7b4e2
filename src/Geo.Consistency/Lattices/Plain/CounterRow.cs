namespace Geo.Consistency.Lattices;

/// <summary>What one source has added and taken since it began; both only grow.</summary>
/// <param name="Added">The sum of what was added.</param>
/// <param name="Taken">The sum of what was taken.</param>
internal readonly record struct CounterRow(long Added, long Taken)
{
    internal static readonly Func<CounterRow, CounterRow, CounterRow> Join = static (row, other) => row.Merge(other);

    internal CounterRow Merge(CounterRow other) => new(Math.Max(Added, other.Added), Math.Max(Taken, other.Taken));

    /// <exception cref="OverflowException">A sum exceeds 63 bits.</exception>
    internal CounterRow Plus(long amount) =>
        amount >= 0 ? this with { Added = checked(Added + amount) } : this with { Taken = checked(Taken + -amount) };

    /// <summary>
    /// The total of some rows; beyond 64 bits the nearest number that there is, because a merge must not fail where each source was
    /// right.
    /// </summary>
    internal static long Total(IEnumerable<CounterRow> rows)
    {
        var total = rows.Aggregate(Int128.Zero, (sum, row) => sum + row.Added - row.Taken);
        return (long)Int128.Clamp(total, long.MinValue, long.MaxValue);
    }
}
