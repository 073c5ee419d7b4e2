using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A counter that never falls below zero, though every replica takes from it without asking: each takes only what it has rights to, and
/// rights move by transfers.
/// </summary>
/// <remarks>
/// <para>
/// Rights of a replica: what it added, less what it took, and what others gave to it less what it gave away. A replica's row is written
/// by it alone, so its own rights are known exactly, and those of others as far as their rows have arrived.
/// </para>
/// <para>
/// The rights of a replica that has crashed stay frozen: it may live and take from them. Only an operator who knows that it has stopped
/// may give them to another one (<see cref="RightsLeft"/>, <see cref="Retire"/>). Never below zero and automatic recovery cannot both be
/// had.
/// </para>
/// </remarks>
public sealed record EscrowCounter : ILattice<EscrowCounter>
{
    private readonly SmallMap<ReplicaId, CounterRow> _rows;
    private readonly SmallMap<Transfer, long> _transfers;

    private EscrowCounter(SmallMap<ReplicaId, CounterRow> rows, SmallMap<Transfer, long> transfers) =>
        (_rows, _transfers) = (rows, transfers);

    /// <inheritdoc/>
    public static EscrowCounter Bottom { get; } = new(default, default);

    /// <inheritdoc/>
    public static string TypeName => "escrow";

    /// <summary>
    /// What is left as far as is known here. At least 0: where a replica's takings are known and not yet the rights that they came from,
    /// the sum is less for a moment, and shown as 0.
    /// </summary>
    public long Value => Math.Max(0, CounterRow.Total(_rows.Values));

    /// <summary>What a replica may take: exact for itself, for others what is known.</summary>
    public long Rights(ReplicaId replica)
    {
        var rights = (Int128)_rows[replica].Added - _rows[replica].Taken;
        for (var i = 0; i < _transfers.Count; i++)
        {
            var (transfer, amount) = _transfers[i];
            rights += transfer.To == replica ? amount : 0;
            rights -= transfer.From == replica ? amount : 0;
        }

        return (long)Int128.Clamp(rights, long.MinValue, long.MaxValue);
    }

    /// <summary>
    /// The replicas that have rights left, as far as is known here, and how many. Each silo that lives knows its own
    /// (<see cref="LatticeOrigin.Source"/>): what any other one has is frozen until it is retired.
    /// </summary>
    public IEnumerable<KeyValuePair<ReplicaId, long>> RightsLeft => _rows.Keys.Concat(_transfers.Keys.Select(t => t.To)).Distinct()
        .Select(replica => KeyValuePair.Create(replica, Rights(replica))).Where(left => left.Value > 0);

    /// <summary>The delta that adds an amount, which the replica then has the rights to.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The amount is negative.</exception>
    /// <exception cref="OverflowException">The replica's sum exceeds 63 bits.</exception>
    public EscrowCounter Add(ReplicaId self, long amount)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(amount);
        return new(SmallMap<ReplicaId, CounterRow>.Of(self, _rows[self].Plus(amount)), default);
    }

    /// <summary>Takes an amount if the replica has the rights to it.</summary>
    /// <param name="self">The replica itself.</param>
    /// <param name="amount">The amount.</param>
    /// <param name="delta">The delta; bottom where nothing is taken.</param>
    /// <exception cref="ArgumentOutOfRangeException">The amount is negative.</exception>
    public EscrowOutcome TryTake(ReplicaId self, long amount, out EscrowCounter delta)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(amount);
        delta = Bottom;
        if (Rights(self) < amount)
        {
            return Value >= amount ? EscrowOutcome.NotHere : EscrowOutcome.NoneKnown;
        }

        delta = new(SmallMap<ReplicaId, CounterRow>.Of(self, _rows[self].Plus(-amount)), default);
        return EscrowOutcome.Taken;
    }

    /// <summary>The delta by which a replica gives rights of its own to another.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The amount is negative or more than the replica's rights.</exception>
    public EscrowCounter Give(ReplicaId self, ReplicaId to, long amount)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(amount);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(amount, Rights(self));
        var transfer = new Transfer(self, to);
        return self == to ? Bottom : new(default, SmallMap<Transfer, long>.Of(transfer, checked(_transfers[transfer] + amount)));
    }

    /// <summary>
    /// The delta that gives the rights of a replica that has stopped for good to a live one. Correct only where the replica certainly
    /// takes no more, its last row has arrived here, and it is retired once, for one heir: rights that are given twice are taken twice.
    /// </summary>
    public EscrowCounter Retire(ReplicaId stopped, ReplicaId heir) => Give(stopped, heir, Math.Max(0, Rights(stopped)));

    /// <inheritdoc/>
    public EscrowCounter Merge(EscrowCounter other)
    {
        ArgumentNullException.ThrowIfNull(other);
        var (rows, transfers) = (_rows.Merge(other._rows, CounterRow.Join), _transfers.Merge(other._transfers, Math.Max));

        // A later delta of one source has all of the one before.
        return rows.HasEqual(other._rows) && transfers.HasEqual(other._transfers) ? other : new(rows, transfers);
    }

    /// <inheritdoc/>
    public bool Equals(EscrowCounter? other) =>
        other is not null && _rows.HasEqual(other._rows) && _transfers.HasEqual(other._transfers);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(SortedForms.Hash(_rows), SortedForms.Hash(_transfers));

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.Write(to, _rows, (w, s) => w.WriteSource(s), CounterForms.Write);
        SortedForms.Write(to, _transfers, Transfer.Write, (w, n) => w.Body.WriteUnsigned((ulong)n));
    }

    /// <inheritdoc/>
    public static EscrowCounter Read(ref LatticeReader from) => new(
        SortedForms.Read(ref from, (ref LatticeReader r) => r.ReadSource(), CounterForms.Read),
        SortedForms.Read(ref from, Transfer.Read, (ref LatticeReader r) => r.ReadNumber()));

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.WriteStartObject();
        to.WritePropertyName("rows"u8);
        SortedForms.WriteJson(to, _rows, (w, s) => w.WriteStringValue(s.ToString()), CounterForms.WriteJson);
        to.WritePropertyName("transfers"u8);
        SortedForms.WriteJson(to, _transfers, (w, t) => w.WriteStringValue($"{t.From}:{t.To}"), (w, n) => w.WriteNumberValue(n));
        to.WriteEndObject();
    }

    /// <inheritdoc/>
    public static EscrowCounter ReadJson(JsonElement from) => new(
        SortedForms.ReadJson(from.GetProperty("rows"u8), e => ReplicaId.Parse(e.GetString()), CounterForms.ReadJson),
        SortedForms.ReadJson(
            from.GetProperty("transfers"u8), Transfer.ReadJson, e => CounterForms.NotNegative(e.GetInt64())));

    private readonly record struct Transfer(ReplicaId From, ReplicaId To) : IComparable<Transfer>
    {
        public int CompareTo(Transfer other) => From.CompareTo(other.From) is var order && order != 0 ? order : To.CompareTo(other.To);

        internal static void Write(LatticeWriter to, Transfer transfer)
        {
            to.WriteSource(transfer.From);
            to.WriteSource(transfer.To);
        }

        internal static Transfer Read(ref LatticeReader from) => new(from.ReadSource(), from.ReadSource());

        internal static Transfer ReadJson(JsonElement from)
        {
            var ends = (from.GetString() ?? string.Empty).Split(':');
            return ends.Length == 2
                ? new(ReplicaId.Parse(ends[0]), ReplicaId.Parse(ends[1]))
                : throw LatticeReader.Damaged("holds no transfer");
        }
    }
}
