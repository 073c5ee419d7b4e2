using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A lexicographic pair (Anna section VI-B): the greater first part wins with its second part; equal first parts merge the second ones.
/// The first part is totally ordered. With Anna's vector clocks for first parts, where incomparable ones merge both, a value that was
/// overwritten comes back in one order of merging and not in another; <see cref="Siblings{TValue}"/> are what that composition is after.
/// </summary>
/// <typeparam name="TFirst">The totally ordered first part.</typeparam>
/// <typeparam name="TSecond">The second part.</typeparam>
/// <param name="First">The first part.</param>
/// <param name="Second">The second part.</param>
public sealed record LexPair<TFirst, TSecond>(TFirst First, TSecond Second) : ILattice<LexPair<TFirst, TSecond>>
    where TFirst : ITotalLattice<TFirst>
    where TSecond : ILattice<TSecond>
{
    /// <inheritdoc/>
    public static LexPair<TFirst, TSecond> Bottom { get; } = new(TFirst.Bottom, TSecond.Bottom);

    /// <inheritdoc/>
    public static string TypeName => $"lex-pair({TFirst.TypeName},{TSecond.TypeName})";

    /// <inheritdoc/>
    public static bool HasDots => TSecond.HasDots;

    /// <inheritdoc/>
    public bool IsEmpty => First.IsEmpty && Second.IsEmpty;

    /// <inheritdoc/>
    public LexPair<TFirst, TSecond> Close(VectorClock through) => this with { Second = Second.Close(through) };

    /// <inheritdoc/>
    public LexPair<TFirst, TSecond> Merge(LexPair<TFirst, TSecond> other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return First.CompareTo(other.First) switch
        {
            > 0 => this,
            < 0 => other,
            _ => new(First, Second.Merge(other.Second)),
        };
    }

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        First.Write(to);
        Second.Write(to);
    }

    /// <inheritdoc/>
    public static LexPair<TFirst, TSecond> Read(ref LatticeReader from) => new(from.Read<TFirst>(), from.Read<TSecond>());

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.WriteStartArray();
        First.WriteJson(to);
        Second.WriteJson(to);
        to.WriteEndArray();
    }

    /// <inheritdoc/>
    public static LexPair<TFirst, TSecond> ReadJson(JsonElement from) => new(TFirst.ReadJson(from[0]), TSecond.ReadJson(from[1]));
}
