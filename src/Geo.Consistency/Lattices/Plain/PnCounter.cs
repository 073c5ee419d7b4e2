using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A counter that every replica adds to and takes from without asking. Every update counts once, whatever is lost, repeated or reordered.
/// For a counter in a map with removal there is <see cref="DotCounter"/>; for one that never falls below zero
/// <see cref="EscrowCounter"/>.
/// </summary>
public sealed record PnCounter : ILattice<PnCounter>
{
    private readonly SmallMap<ReplicaId, CounterRow> _rows;

    private PnCounter(SmallMap<ReplicaId, CounterRow> rows) => _rows = rows;

    /// <inheritdoc/>
    public static PnCounter Bottom { get; } = new(default(SmallMap<ReplicaId, CounterRow>));

    /// <inheritdoc/>
    public static string TypeName => "counter";

    /// <summary>The sum of all updates; beyond 64 bits the nearest number that there is.</summary>
    public long Value => CounterRow.Total(_rows.Values);

    /// <summary>The delta that adds an amount, or takes one that is negative: the source's row with its sums so far.</summary>
    /// <param name="source">Who adds; the row is written by it alone.</param>
    /// <param name="amount">The amount.</param>
    /// <exception cref="OverflowException">The source's sum exceeds 63 bits.</exception>
    public PnCounter Add(ReplicaId source, long amount) =>
        new(SmallMap<ReplicaId, CounterRow>.Of(source, _rows[source].Plus(amount)));

    /// <inheritdoc/>
    public PnCounter Merge(PnCounter other)
    {
        ArgumentNullException.ThrowIfNull(other);
        var merged = _rows.Merge(other._rows, CounterRow.Join);
        return merged.HasEqual(other._rows) ? other : merged.HasEqual(_rows) ? this : new(merged);
    }

    /// <inheritdoc/>
    public bool Equals(PnCounter? other) => other is not null && _rows.HasEqual(other._rows);

    /// <inheritdoc/>
    public override int GetHashCode() => SortedForms.Hash(_rows);

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.Write(to, _rows, (w, s) => w.WriteSource(s), CounterForms.Write);
    }

    /// <inheritdoc/>
    public static PnCounter Read(ref LatticeReader from) =>
        new(SortedForms.Read(ref from, (ref LatticeReader r) => r.ReadSource(), CounterForms.Read));

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.WriteJson(to, _rows, (w, s) => w.WriteStringValue(s.ToString()), CounterForms.WriteJson);
    }

    /// <inheritdoc/>
    public static PnCounter ReadJson(JsonElement from) =>
        new(SortedForms.ReadJson(from, e => ReplicaId.Parse(e.GetString()), CounterForms.ReadJson));
}
