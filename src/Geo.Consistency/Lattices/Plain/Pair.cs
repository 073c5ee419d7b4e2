using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>Two lattices side by side, merged each for itself.</summary>
/// <typeparam name="TFirst">The first lattice.</typeparam>
/// <typeparam name="TSecond">The second lattice.</typeparam>
/// <param name="First">The first part.</param>
/// <param name="Second">The second part.</param>
public sealed record Pair<TFirst, TSecond>(TFirst First, TSecond Second) : ILattice<Pair<TFirst, TSecond>>
    where TFirst : ILattice<TFirst>
    where TSecond : ILattice<TSecond>
{
    /// <inheritdoc/>
    public static Pair<TFirst, TSecond> Bottom { get; } = new(TFirst.Bottom, TSecond.Bottom);

    /// <inheritdoc/>
    public static string TypeName => $"pair({TFirst.TypeName},{TSecond.TypeName})";

    /// <inheritdoc/>
    public static bool HasDots => TFirst.HasDots || TSecond.HasDots;

    /// <inheritdoc/>
    public bool IsEmpty => First.IsEmpty && Second.IsEmpty;

    /// <inheritdoc/>
    public Pair<TFirst, TSecond> Close(VectorClock through) => new(First.Close(through), Second.Close(through));

    /// <inheritdoc/>
    public Pair<TFirst, TSecond> Merge(Pair<TFirst, TSecond> other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return new(First.Merge(other.First), Second.Merge(other.Second));
    }

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        First.Write(to);
        Second.Write(to);
    }

    /// <inheritdoc/>
    public static Pair<TFirst, TSecond> Read(ref LatticeReader from) => new(from.Read<TFirst>(), from.Read<TSecond>());

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
    public static Pair<TFirst, TSecond> ReadJson(JsonElement from) => new(TFirst.ReadJson(from[0]), TSecond.ReadJson(from[1]));
}
