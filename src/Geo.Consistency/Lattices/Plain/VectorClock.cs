using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A number by source, merged to the greater one (Anna section VI-C). What it is good for is telling whether one event may have caused
/// another.
/// </summary>
public sealed record VectorClock : ILattice<VectorClock>
{
    private readonly SmallMap<ReplicaId, long> _numbers;

    internal VectorClock(SmallMap<ReplicaId, long> numbers) => _numbers = numbers;

    internal SmallMap<ReplicaId, long> Numbers => _numbers;

    /// <inheritdoc/>
    public static VectorClock Bottom { get; } = new(default(SmallMap<ReplicaId, long>));

    /// <inheritdoc/>
    public static string TypeName => "vector-clock";

    /// <summary>The sources with a number over 0.</summary>
    public IEnumerable<ReplicaId> Sources => _numbers.Keys;

    /// <summary>The number of a source; 0 where there is none.</summary>
    public long this[ReplicaId source] => _numbers[source];

    /// <summary>One source's number, as state or as delta.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public static VectorClock Of(ReplicaId source, long number)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(number);
        return number == 0 ? Bottom : new(SmallMap<ReplicaId, long>.Of(source, number));
    }

    /// <summary>The delta that counts a source one on.</summary>
    public VectorClock Next(ReplicaId source) => Of(source, checked(this[source] + 1));

    /// <summary>
    /// True when no number is less than the other's: what the other stands for is within this one's past, or is the same.
    /// </summary>
    public bool Covers(VectorClock other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return Covers(_numbers, other._numbers);
    }

    internal static bool Covers(in SmallMap<ReplicaId, long> numbers, in SmallMap<ReplicaId, long> others)
    {
        for (var i = 0; i < others.Count; i++)
        {
            if (others[i] is var (source, number) && number > numbers[source])
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>This clock without the numbers that another one covers.</summary>
    public VectorClock Beyond(VectorClock covered)
    {
        ArgumentNullException.ThrowIfNull(covered);
        return new(SmallMap<ReplicaId, long>.OfSorted([.. _numbers.Where(n => n.Value > covered[n.Key])]));
    }

    /// <summary>The greatest clock that both cover.</summary>
    public VectorClock Meet(VectorClock other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return new(SmallMap<ReplicaId, long>.OfSorted(
            [.. _numbers.Where(n => other[n.Key] > 0).Select(n => KeyValuePair.Create(n.Key, Math.Min(n.Value, other[n.Key])))]));
    }

    /// <summary>This clock with no number over the limit of its source, where it has one.</summary>
    internal VectorClock Below(IReadOnlyDictionary<ReplicaId, long> limits) => new(SmallMap<ReplicaId, long>.OfSorted(
        [.. _numbers.Select(n => KeyValuePair.Create(n.Key, Math.Min(n.Value, limits.GetValueOrDefault(n.Key, long.MaxValue))))
            .Where(n => n.Value > 0)]));

    /// <inheritdoc/>
    public VectorClock Merge(VectorClock other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return Covers(other) ? this : other.Covers(this) ? other : new(_numbers.Merge(other._numbers, Math.Max));
    }

    /// <inheritdoc/>
    public bool Equals(VectorClock? other) => other is not null && _numbers.HasEqual(other._numbers);

    /// <inheritdoc/>
    public override int GetHashCode() => SortedForms.Hash(_numbers);

    /// <inheritdoc/>
    public override string ToString() => $"{{{string.Join(", ", _numbers.Select(n => $"{n.Key}:{n.Value}"))}}}";

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.Write(to, _numbers, (w, s) => w.WriteSource(s), (w, n) => w.Body.WriteUnsigned((ulong)n));
    }

    /// <inheritdoc/>
    public static VectorClock Read(ref LatticeReader from) => new(SortedForms.Read(
        ref from, (ref LatticeReader r) => r.ReadSource(), (ref LatticeReader r) => Positive(r.ReadNumber())));

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.WriteJson(to, _numbers, (w, s) => w.WriteStringValue(s.ToString()), (w, n) => w.WriteNumberValue(n));
    }

    /// <inheritdoc/>
    public static VectorClock ReadJson(JsonElement from) =>
        new(SortedForms.ReadJson(from, e => ReplicaId.Parse(e.GetString()), e => Positive(e.GetInt64())));

    private static long Positive(long number) =>
        number > 0 ? number : throw LatticeReader.Damaged("holds a number in a clock that is not over 0");
}
