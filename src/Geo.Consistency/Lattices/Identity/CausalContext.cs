using System.Collections.Immutable;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// Which updates of one object have been seen. Of each source: all up to a number, and single later ones (a removal may arrive before the
/// addition that it removes). Of what was seen, that which the content does not hold has been removed or replaced.
/// </summary>
/// <remarks>
/// The context of a delta has exactly the dots that it adds and removes. With its sender's whole context it would remove what the sender
/// has not received yet.
/// </remarks>
public sealed record CausalContext : ILattice<CausalContext>
{
    private static readonly ImmutableSortedDictionary<ReplicaId, long> NoSources = ImmutableSortedDictionary<ReplicaId, long>.Empty;
    private static readonly ImmutableSortedDictionary<Dot, bool> NoDots = ImmutableSortedDictionary<Dot, bool>.Empty;

    private readonly ImmutableSortedDictionary<ReplicaId, long> _through;
    private readonly ImmutableSortedSet<Dot> _single;

    private CausalContext(ImmutableSortedDictionary<ReplicaId, long> through, ImmutableSortedSet<Dot> single) =>
        (_through, _single) = (through, single);

    /// <inheritdoc/>
    public static CausalContext Bottom { get; } = new(NoSources, []);

    /// <inheritdoc/>
    public static string TypeName => "context";

    /// <summary>Of each source, the number up to which all was seen.</summary>
    public IReadOnlyDictionary<ReplicaId, long> Through => _through;

    /// <summary>The dots seen beyond <see cref="Through"/>.</summary>
    public IReadOnlyCollection<Dot> Beyond => _single;

    /// <summary>The context of a delta: exactly these dots.</summary>
    public static CausalContext Of(IEnumerable<Dot> dots) => Bottom.With(NoSources, dots);

    /// <summary>True when the update was seen.</summary>
    public bool Contains(Dot dot) => dot.Number <= _through.GetValueOrDefault(dot.Source) || _single.Contains(dot);

    /// <summary>True when all that the other has seen was seen.</summary>
    public bool Covers(CausalContext other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return other._through.All(s => s.Value <= _through.GetValueOrDefault(s.Key)) && other._single.All(Contains);
    }

    /// <summary>
    /// Says that all updates of a source to this object, up to a number, were seen. For who knows it: the source itself, and who has
    /// received its updates without a gap.
    /// </summary>
    public CausalContext Close(ReplicaId source, long through) =>
        through <= _through.GetValueOrDefault(source) ? this : With(NoSources.Add(source, through), []);

    /// <inheritdoc/>
    public CausalContext Merge(CausalContext other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return ReferenceEquals(this, other) ? this : With(other._through, other._single);
    }

    /// <inheritdoc/>
    public bool Equals(CausalContext? other) =>
        other is not null && SortedForms.AreEqual(_through, other._through) && _single.SetEquals(other._single);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(SortedForms.Hash(_through), SortedForms.Hash(_single));

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.Write(to, _through, (w, s) => w.WriteSource(s), (w, n) => w.Body.WriteUnsigned((ulong)n));
        to.Body.WriteUnsigned((ulong)_single.Count);
        foreach (var dot in _single)
        {
            to.WriteDot(dot);
        }
    }

    /// <inheritdoc/>
    public static CausalContext Read(ref LatticeReader from)
    {
        var through = SortedForms.Read(
            ref from, NoSources, (ref LatticeReader r) => r.ReadSource(), (ref LatticeReader r) => r.ReadNumber());
        var single = SortedForms.Read(ref from, NoDots, Dot.Read, (ref LatticeReader _) => true);
        return Bottom.With(through, single.Keys);
    }

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.WriteStartObject();
        to.WritePropertyName("through"u8);
        SortedForms.WriteJson(to, _through, (w, s) => w.WriteStringValue(s.ToString()), (w, n) => w.WriteNumberValue(n));
        to.WritePropertyName("beyond"u8);
        to.WriteStartArray();
        foreach (var dot in _single)
        {
            Dot.WriteJson(to, dot);
        }

        to.WriteEndArray();
        to.WriteEndObject();
    }

    /// <inheritdoc/>
    public static CausalContext ReadJson(JsonElement from)
    {
        var through = SortedForms.ReadJson(
            from.GetProperty("through"u8), NoSources, e => ReplicaId.Parse(e.GetString()), e => e.GetInt64());
        return Bottom.With(through, [.. from.GetProperty("beyond"u8).EnumerateArray().Select(Dot.ReadJson)]);
    }

    private CausalContext With(ImmutableSortedDictionary<ReplicaId, long> through, IEnumerable<Dot> single)
    {
        var ends = _through.ToBuilder();
        foreach (var (source, number) in through)
        {
            if (number > ends.GetValueOrDefault(source))
            {
                ends[source] = number;
            }
        }

        // Ascending: a dot that follows an end directly moves the end, and the next dot may follow the new one.
        var dots = ImmutableSortedSet.CreateBuilder<Dot>();
        foreach (var dot in _single.Union(single))
        {
            var end = ends.GetValueOrDefault(dot.Source);
            if (dot.Number == end + 1)
            {
                ends[dot.Source] = dot.Number;
            }
            else if (dot.Number > end)
            {
                dots.Add(dot);
            }
        }

        return new(ends.ToImmutable(), dots.ToImmutable());
    }
}
