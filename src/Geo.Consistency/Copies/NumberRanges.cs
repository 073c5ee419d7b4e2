using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>
/// Some of an instance's updates by their numbers, as ranges that do not touch; of more than <see cref="Most"/> the two nearest among the
/// older become one, with what is between them. Immutable.
/// </summary>
internal readonly struct NumberRanges : IEquatable<NumberRanges>
{
    /// <summary>They travel with every update of their instance, and lie beside the state.</summary>
    internal const int Most = 4;

    // By their first numbers.
    private readonly ImmutableArray<NumberRange> _ranges;

    private NumberRanges(ImmutableArray<NumberRange> ranges) => _ranges = ranges;

    internal bool IsNone => Ranges.IsEmpty;

    private ImmutableArray<NumberRange> Ranges => _ranges.IsDefault ? [] : _ranges;

    public static bool operator ==(NumberRanges left, NumberRanges right) => left.Equals(right);

    public static bool operator !=(NumberRanges left, NumberRanges right) => !left.Equals(right);

    internal static NumberRanges Of(params IEnumerable<NumberRange> ranges)
    {
        var apart = new List<NumberRange>();
        foreach (var range in ranges.OrderBy(r => r.First))
        {
            if (apart.Count > 0 && range.First <= apart[^1].Last + 1)
            {
                apart[^1] = apart[^1].With(range);
            }
            else
            {
                apart.Add(range);
            }
        }

        while (apart.Count > Most)
        {
            var nearest = NumberRange.NearestOfOlder(apart, static r => r);
            apart[nearest] = apart[nearest].With(apart[nearest + 1]);
            apart.RemoveAt(nearest + 1);
        }

        return new([.. apart]);
    }

    internal bool Overlap(NumberRange other) => Ranges.Any(r => r.Overlaps(other));

    internal NumberRanges With(NumberRanges other) => IsNone ? other : other.IsNone ? this : Of(Ranges.Concat(other.Ranges));

    public bool Equals(NumberRanges other) => Ranges.SequenceEqual(other.Ranges);

    public override bool Equals(object? obj) => obj is NumberRanges other && Equals(other);

    public override int GetHashCode() => Ranges.Aggregate(0, HashCode.Combine);

    public override string ToString() => string.Join(", ", Ranges.Select(r => $"{r.First} to {r.Last}"));

    internal void Write(PayloadWriter writer)
    {
        writer.WriteUnsigned((ulong)Ranges.Length);
        var before = 0L;
        foreach (var range in Ranges)
        {
            writer.WriteUnsigned((ulong)(range.First - before));
            writer.WriteUnsigned((ulong)(range.Last - range.First));
            before = range.Last;
        }
    }

    /// <exception cref="GeoSerializationException">The bytes are cut off, or no ranges.</exception>
    internal static NumberRanges Read(ref PayloadReader reader)
    {
        var count = reader.ReadUnsigned();
        if (count > Most)
        {
            throw new GeoSerializationException($"Updates cannot be missing in {count} ranges; the bytes were damaged.");
        }

        var ranges = new List<NumberRange>();
        var before = 0UL;
        for (var i = 0UL; i < count; i++)
        {
            var (between, length) = (reader.ReadUnsigned(), reader.ReadUnsigned());
            if (between is 0 or > long.MaxValue || length > long.MaxValue || before + between + length > long.MaxValue)
            {
                throw new GeoSerializationException(
                    $"{length} updates cannot be missing behind number {before} and {between}; the bytes were damaged.");
            }

            ranges.Add(new((long)(before + between), (long)(before + between + length)));
            before += between + length;
        }

        return Of(ranges);
    }
}
