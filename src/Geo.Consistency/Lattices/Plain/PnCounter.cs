using System.Collections.Immutable;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A counter that every replica adds to and takes from without asking. Every update counts once, whatever is lost, repeated or reordered.
/// For a counter in a map with removal there is <see cref="DotCounter"/>; for one that never falls below zero
/// <see cref="EscrowCounter"/>.
/// </summary>
public sealed record PnCounter : ILattice<PnCounter>
{
    private static readonly ImmutableSortedDictionary<ReplicaId, CounterRow> Empty = ImmutableSortedDictionary<ReplicaId, CounterRow>.Empty;

    private readonly ImmutableSortedDictionary<ReplicaId, CounterRow> _rows;

    private PnCounter(ImmutableSortedDictionary<ReplicaId, CounterRow> rows) => _rows = rows;

    /// <inheritdoc/>
    public static PnCounter Bottom { get; } = new(Empty);

    /// <inheritdoc/>
    public static string TypeName => "counter";

    /// <summary>The sum of all updates; beyond 64 bits the nearest number that there is.</summary>
    public long Value => CounterRow.Total(_rows.Values);

    /// <summary>The delta that adds an amount, or takes one that is negative: the source's row with its sums so far.</summary>
    /// <param name="source">Who adds; the row is written by it alone.</param>
    /// <param name="amount">The amount.</param>
    /// <exception cref="OverflowException">The source's sum exceeds 63 bits.</exception>
    public PnCounter Add(ReplicaId source, long amount) => new(Empty.Add(source, _rows.GetValueOrDefault(source).Plus(amount)));

    /// <inheritdoc/>
    public PnCounter Merge(PnCounter other)
    {
        ArgumentNullException.ThrowIfNull(other);
        var merged = _rows.ToBuilder();
        foreach (var (source, row) in other._rows)
        {
            merged[source] = row.Merge(merged.GetValueOrDefault(source));
        }

        return new(merged.ToImmutable());
    }

    /// <inheritdoc/>
    public bool Equals(PnCounter? other) => other is not null && SortedForms.AreEqual(_rows, other._rows);

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
        new(SortedForms.Read(ref from, Empty, (ref LatticeReader r) => r.ReadSource(), CounterForms.Read));

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.WriteJson(to, _rows, (w, s) => w.WriteStringValue(s.ToString()), CounterForms.WriteJson);
    }

    /// <inheritdoc/>
    public static PnCounter ReadJson(JsonElement from) =>
        new(SortedForms.ReadJson(from, Empty, e => ReplicaId.Parse(e.GetString()), CounterForms.ReadJson));
}
