using System.Collections.Immutable;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A counter that can be removed, for maps. A removal takes away what it has observed of each source. A source that adds concurrently
/// keeps its sum so far, the part that the removal saw included: it has one dot for all, or the counter would grow with every addition.
/// </summary>
public sealed record DotCounter : IDotted<DotCounter>
{
    private readonly ImmutableSortedDictionary<Dot, CounterRow> _values;

    private DotCounter(ImmutableSortedDictionary<Dot, CounterRow> values) => _values = values;

    /// <inheritdoc/>
    public static DotCounter Empty { get; } = new(ImmutableSortedDictionary<Dot, CounterRow>.Empty);

    /// <inheritdoc/>
    public static string TypeName => "dot-counter";

    /// <inheritdoc/>
    public bool IsEmpty => _values.IsEmpty;

    /// <inheritdoc/>
    public IEnumerable<Dot> Dots => _values.Keys;

    /// <summary>The sum; beyond 64 bits the nearest number that there is.</summary>
    public long Value => CounterRow.Total(_values.Values);

    /// <summary>The delta that adds an amount, or takes one that is negative.</summary>
    /// <exception cref="OverflowException">The sum of the source exceeds 63 bits.</exception>
    public Dotted<DotCounter> Add(Dot dot, long amount)
    {
        var own = _values.Where(v => v.Key.Source == dot.Source).ToList();
        var row = own.Aggregate(default(CounterRow), (sum, v) => sum.Merge(v.Value)).Plus(amount);
        return Dotted<DotCounter>.Delta(dot, new(Empty._values.Add(dot, row)), own.Select(v => v.Key));
    }

    /// <inheritdoc/>
    public DotCounter Merge(CausalContext seen, DotCounter other, CausalContext otherSeen)
    {
        ArgumentNullException.ThrowIfNull(other);
        return new(DotValues.Merge(_values, seen, other._values, otherSeen));
    }

    /// <inheritdoc/>
    public bool Equals(DotCounter? other) => other is not null && SortedForms.AreEqual(_values, other._values);

    /// <inheritdoc/>
    public override int GetHashCode() => SortedForms.Hash(_values);

    /// <inheritdoc/>
    public void Write(LatticeWriter to) => DotValues.Write(to, _values, CounterForms.Write);

    /// <inheritdoc/>
    public static DotCounter Read(ref LatticeReader from) => new(DotValues.Read(ref from, CounterForms.Read));

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to) => DotValues.WriteJson(to, _values, CounterForms.WriteJson);

    /// <inheritdoc/>
    public static DotCounter ReadJson(JsonElement from) => new(DotValues.ReadJson(from, CounterForms.ReadJson));
}
