using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A counter that can be removed, for maps. A removal takes away what it has observed of each source. A source that adds concurrently
/// keeps its sum so far, the part that the removal saw included: it has one dot for all, or the counter would grow with every addition.
/// </summary>
public sealed record DotCounter : IDotted<DotCounter>
{
    private readonly SmallMap<Dot, CounterRow> _values;

    private DotCounter(SmallMap<Dot, CounterRow> values) => _values = values;

    /// <inheritdoc/>
    public static DotCounter Empty { get; } = new(default(SmallMap<Dot, CounterRow>));

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
        var (row, own) = (default(CounterRow), default(SmallMap<Dot, CounterRow>));
        for (var i = 0; i < _values.Count; i++)
        {
            if (_values[i] is var (of, value) && of.Source == dot.Source)
            {
                (row, own) = (row.Merge(value), own.With(of, value));
            }
        }

        return Dotted<DotCounter>.Delta(new(SmallMap<Dot, CounterRow>.Of(dot, row.Plus(amount))), CausalContext.Of(dot, own));
    }

    /// <inheritdoc/>
    public DotCounter Merge(CausalContext seen, DotCounter other, CausalContext otherSeen)
    {
        ArgumentNullException.ThrowIfNull(other);
        var merged = DotValues.Merge(_values, seen, other._values, otherSeen);
        return merged.HasEqual(other._values) ? other : merged.HasEqual(_values) ? this : new(merged);
    }

    /// <inheritdoc/>
    public int CountSeen(CausalContext seen) => DotValues.CountSeen(_values, seen);

    /// <inheritdoc/>
    public bool Equals(DotCounter? other) => other is not null && _values.HasEqual(other._values);

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
