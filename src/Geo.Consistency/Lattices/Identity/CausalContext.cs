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
    // Up to so many dots are gathered on the stack.
    private const int Few = 16;

    private readonly SmallMap<ReplicaId, long> _through;
    private readonly Dot[] _beyond;

    private CausalContext(in SmallMap<ReplicaId, long> through, Dot[] beyond) => (_through, _beyond) = (through, beyond);

    /// <inheritdoc/>
    public static CausalContext Bottom { get; } = new(default, []);

    /// <inheritdoc/>
    public static string TypeName => "context";

    /// <summary>Of each source, the number up to which all was seen.</summary>
    public VectorClock Through => new(_through);

    /// <summary>The dots seen beyond <see cref="Through"/>, ascending.</summary>
    public IReadOnlyList<Dot> Beyond => _beyond;

    /// <summary>The same as <see cref="Beyond"/> where nothing else was seen, as in most deltas; false where more was.</summary>
    internal bool TryGetAll(out ReadOnlySpan<Dot> dots)
    {
        dots = _beyond;
        return _through.IsEmpty;
    }

    /// <summary>The context of a delta: exactly these dots.</summary>
    public static CausalContext Of(IEnumerable<Dot> dots)
    {
        Dot[] sorted = [.. dots];
        Array.Sort(sorted);
        return Bottom.With(default, sorted);
    }

    /// <summary>The context of a delta that writes a dot and replaces others.</summary>
    internal static CausalContext Of<T>(Dot dot, in SmallMap<Dot, T> replaced)
    {
        var count = replaced.Count + 1;
        var dots = count <= Few ? stackalloc Dot[Few] : new Dot[count];
        var place = 0;
        for (var i = 0; i < replaced.Count; i++)
        {
            var next = replaced[i].Key;
            place += next.CompareTo(dot) < 0 ? 1 : 0;
            dots[next.CompareTo(dot) < 0 ? i : i + 1] = next;
        }

        dots[place] = dot;
        return Bottom.With(default, dots[..count]);
    }

    /// <summary>True when the update was seen.</summary>
    public bool Contains(Dot dot) => dot.Number <= _through[dot.Source] || (_beyond.Length > 0 && Array.BinarySearch(_beyond, dot) >= 0);

    /// <summary>True when all that the other has seen was seen.</summary>
    public bool Covers(CausalContext other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return Through.Covers(other.Through) && Array.TrueForAll(other._beyond, Contains);
    }

    /// <summary>
    /// Says that all updates to this object up to these were seen. For who knows it: their source itself, and who has received its
    /// updates without a gap.
    /// </summary>
    public CausalContext Close(VectorClock through)
    {
        ArgumentNullException.ThrowIfNull(through);
        return Through.Covers(through) ? this : With(through.Numbers, []);
    }

    /// <inheritdoc/>
    public CausalContext Merge(CausalContext other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return ReferenceEquals(this, other) ? this : With(other._through, other._beyond);
    }

    /// <inheritdoc/>
    public CausalContext Merge(CausalContext delta, ReplicaId source, long through)
    {
        ArgumentNullException.ThrowIfNull(delta);
        var ends = delta._through.Merge(SmallMap<ReplicaId, long>.Of(source, through), Math.Max);
        return With(ends, delta._beyond);
    }

    /// <inheritdoc/>
    public bool Equals(CausalContext? other) =>
        other is not null && _through.HasEqual(other._through) && _beyond.AsSpan().SequenceEqual(other._beyond);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(SortedForms.Hash(_through), SortedForms.Hash(_beyond));

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.Write(to, _through, (w, s) => w.WriteSource(s), (w, n) => w.Body.WriteUnsigned((ulong)n));
        to.Body.WriteUnsigned((ulong)_beyond.Length);
        foreach (var dot in _beyond)
        {
            to.WriteDot(dot);
        }
    }

    /// <inheritdoc/>
    public static CausalContext Read(ref LatticeReader from)
    {
        var through = SortedForms.Read(ref from, (ref LatticeReader r) => r.ReadSource(), (ref LatticeReader r) => r.ReadNumber());
        var beyond = SortedForms.Read(ref from, Dot.Read, (ref LatticeReader _) => true);
        return Bottom.With(through, [.. beyond.Keys]);
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
        foreach (var dot in _beyond)
        {
            Dot.WriteJson(to, dot);
        }

        to.WriteEndArray();
        to.WriteEndObject();
    }

    /// <inheritdoc/>
    public static CausalContext ReadJson(JsonElement from)
    {
        var through = SortedForms.ReadJson(from.GetProperty("through"u8), e => ReplicaId.Parse(e.GetString()), e => e.GetInt64());
        Dot[] beyond = [.. from.GetProperty("beyond"u8).EnumerateArray().Select(Dot.ReadJson)];
        Array.Sort(beyond);
        return Bottom.With(through, beyond);
    }

    /// <summary>This context with what was seen besides; the dots ascend.</summary>
    private CausalContext With(in SmallMap<ReplicaId, long> through, ReadOnlySpan<Dot> beyond)
    {
        var ends = _through.Merge(through, Math.Max);
        var most = _beyond.Length + beyond.Length;
        var kept = most <= Few ? stackalloc Dot[Few] : new Dot[most];
        var count = 0;

        // Ascending: a dot that follows an end directly moves the end, and the next dot may follow the new one.
        for (var (i, j) = (0, 0); i < _beyond.Length || j < beyond.Length;)
        {
            var isMine = j == beyond.Length || (i < _beyond.Length && _beyond[i].CompareTo(beyond[j]) <= 0);
            var dot = isMine ? _beyond[i++] : beyond[j++];
            var end = ends[dot.Source];
            if (dot.Number == end + 1)
            {
                ends = ends.With(dot.Source, dot.Number);
            }
            else if (dot.Number > end && (count == 0 || kept[count - 1] != dot))
            {
                kept[count++] = dot;
            }
        }

        kept = kept[..count];
        return new(ends, kept.SequenceEqual(_beyond) ? _beyond : kept.ToArray());
    }
}
