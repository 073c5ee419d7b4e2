using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// What Anna Figure 2 means (causal consistency of one object): an update overwrites those that it has seen, and concurrent ones are kept
/// side by side and read as their merge. The pair of vector clock and value of that figure is not associative; this is a lattice.
/// </summary>
/// <typeparam name="TValue">The lattice of the values.</typeparam>
public sealed record Siblings<TValue> : IDotted<Siblings<TValue>>
    where TValue : ILattice<TValue>
{
    private readonly SmallMap<Dot, TValue> _values;

    private Siblings(SmallMap<Dot, TValue> values) => _values = values;

    /// <inheritdoc/>
    public static Siblings<TValue> Empty { get; } = new(default(SmallMap<Dot, TValue>));

    /// <inheritdoc/>
    public static string TypeName => $"siblings({TValue.TypeName})";

    /// <inheritdoc/>
    public bool IsEmpty => _values.IsEmpty;

    /// <inheritdoc/>
    public IEnumerable<Dot> Dots => _values.Keys;

    /// <summary>The merge of all updates that no other has seen; bottom where there is none.</summary>
    public TValue Value => _values.Values.Aggregate(TValue.Bottom, (merged, value) => merged.Merge(value));

    /// <summary>The number of updates that no other has seen.</summary>
    public int Count => _values.Count;

    /// <summary>The delta that writes a value over what is observed here.</summary>
    public Dotted<Siblings<TValue>> Write(Dot dot, TValue value) =>
        Dotted<Siblings<TValue>>.Delta(new(SmallMap<Dot, TValue>.Of(dot, value)), CausalContext.Of(dot, _values));

    /// <inheritdoc/>
    public Siblings<TValue> Merge(CausalContext seen, Siblings<TValue> other, CausalContext otherSeen)
    {
        ArgumentNullException.ThrowIfNull(other);
        var merged = DotValues.Merge(_values, seen, other._values, otherSeen);
        return merged.HasEqual(other._values) ? other : merged.HasEqual(_values) ? this : new(merged);
    }

    /// <inheritdoc/>
    public int CountSeen(CausalContext seen) => DotValues.CountSeen(_values, seen);

    /// <inheritdoc/>
    public bool Equals(Siblings<TValue>? other) => other is not null && _values.HasEqual(other._values);

    /// <inheritdoc/>
    public override int GetHashCode() => SortedForms.Hash(_values);

    /// <inheritdoc/>
    public void Write(LatticeWriter to) => DotValues.Write(to, _values, (w, v) => v.Write(w));

    /// <inheritdoc/>
    public static Siblings<TValue> Read(ref LatticeReader from) => new(DotValues.Read(ref from, (ref LatticeReader r) => r.Read<TValue>()));

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to) => DotValues.WriteJson(to, _values, (w, v) => v.WriteJson(w));

    /// <inheritdoc/>
    public static Siblings<TValue> ReadJson(JsonElement from) => new(DotValues.ReadJson(from, TValue.ReadJson));
}
