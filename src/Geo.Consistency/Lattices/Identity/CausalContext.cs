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
public readonly record struct CausalContext : ILattice<CausalContext>
{
    // Up to so many dots are gathered on the stack.
    private const int Few = 16;

    // In the place of the map's own: one dot, or two of a source, are all.
    private const int IsDots = -1;

    // The parts of a map, as every state has one, with all numbers up to which all was seen. Where IsDots, the last dot instead. Kept here
    // and not as the map itself, so that the distance of the dot before fits in without making every state of a grain larger.
    private readonly KeyValuePair<ReplicaId, long>[]? _others;
    private readonly ReplicaId _source;
    private readonly long _number;
    private readonly int _place;
    private readonly int _distance;

    // Ascending; null for none, and where IsDots.
    private readonly Dot[]? _beyond;

    private CausalContext(in SmallMap<ReplicaId, long> through, Dot[]? beyond)
    {
        (_others, _source, _number, _place) = through.Parts;
        _beyond = beyond;
    }

    private CausalContext(Dot last, int distance) => (_source, _number, _place, _distance) = (last.Source, last.Number, IsDots, distance);

    /// <inheritdoc/>
    public static CausalContext Bottom => default;

    /// <inheritdoc/>
    public static string TypeName => "context";

    /// <inheritdoc/>
    public bool IsEmpty => _place == 0 && _beyond is null;

    /// <summary>Of each source, the number up to which all was seen.</summary>
    public VectorClock Through => new(Ends);

    /// <summary>The dots seen beyond <see cref="Through"/>, ascending.</summary>
    public IReadOnlyList<Dot> Beyond => _place != IsDots ? _beyond ?? [] : Dots(stackalloc Dot[2]).ToArray();

    private SmallMap<ReplicaId, long> Ends =>
        _place == IsDots ? default : SmallMap<ReplicaId, long>.OfParts(_others, _source, _number, _place);

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
    public bool Contains(Dot dot) => _place == IsDots
        ? dot.Source == _source && (dot.Number == _number || (_distance > 0 && dot.Number == _number - _distance))
        : dot.Number <= Ends[dot.Source] || (_beyond is not null && Array.BinarySearch(_beyond, dot) >= 0);

    /// <summary>True when all that the other has seen was seen.</summary>
    public bool Covers(CausalContext other) =>
        VectorClock.Covers(Ends, other.Ends) && other.CountIn(this) == other.Dots(stackalloc Dot[2]).Length;

    /// <summary>How many of its dots another one has, if nothing else was seen here, as in most deltas; -1 where more was.</summary>
    internal int CountAllIn(in CausalContext other) => Ends.IsEmpty ? CountIn(other) : -1;

    /// <summary>True when it says already that all updates up to these were seen.</summary>
    internal bool IsClosed(VectorClock through) => VectorClock.Covers(Ends, through.Numbers);

    /// <summary>
    /// Says that all updates to this object up to these were seen. For who knows it: their source itself, and who has received its
    /// updates without a gap.
    /// </summary>
    public CausalContext Close(VectorClock through)
    {
        ArgumentNullException.ThrowIfNull(through);
        return IsClosed(through) ? this : With(through.Numbers, []);
    }

    /// <inheritdoc/>
    public CausalContext Merge(CausalContext other) => With(other.Ends, other.Dots(stackalloc Dot[2]));

    /// <inheritdoc/>
    public CausalContext Merge(CausalContext delta, ReplicaId source, long through)
    {
        var ends = delta.Ends.Merge(SmallMap<ReplicaId, long>.Of(source, through), Math.Max);
        return With(ends, delta.Dots(stackalloc Dot[2]));
    }

    /// <inheritdoc/>
    public bool Equals(CausalContext other) => Ends.HasEqual(other.Ends)
        && Dots(stackalloc Dot[2]).SequenceEqual(other.Dots(stackalloc Dot[2]));

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(SortedForms.Hash(Ends), SortedForms.Hash(Beyond));

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.Write(to, Ends, (w, s) => w.WriteSource(s), (w, n) => w.Body.WriteUnsigned((ulong)n));
        var dots = Dots(stackalloc Dot[2]);
        to.Body.WriteUnsigned((ulong)dots.Length);
        foreach (var dot in dots)
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
        SortedForms.WriteJson(to, Ends, (w, s) => w.WriteStringValue(s.ToString()), (w, n) => w.WriteNumberValue(n));
        to.WritePropertyName("beyond"u8);
        to.WriteStartArray();
        foreach (var dot in Beyond)
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

    /// <summary>The dots beyond, ascending; in this room for two where they are kept without an array.</summary>
    private ReadOnlySpan<Dot> Dots(Span<Dot> room)
    {
        if (_place != IsDots)
        {
            return _beyond;
        }

        room[0] = new(_source, _number - _distance);
        room[1] = new(_source, _number);
        return _distance > 0 ? room : room[..1];
    }

    private int CountIn(in CausalContext other)
    {
        var count = 0;
        foreach (var dot in Dots(stackalloc Dot[2]))
        {
            count += other.Contains(dot) ? 1 : 0;
        }

        return count;
    }

    /// <summary>This context with what was seen besides; the dots ascend.</summary>
    private CausalContext With(in SmallMap<ReplicaId, long> through, scoped ReadOnlySpan<Dot> beyond)
    {
        var mine = Dots(stackalloc Dot[2]);
        var ends = Ends.Merge(through, Math.Max);
        var most = mine.Length + beyond.Length;
        var kept = most <= Few ? stackalloc Dot[Few] : new Dot[most];
        var count = 0;

        // Ascending: a dot that follows an end directly moves the end, and the next dot may follow the new one.
        for (var (i, j) = (0, 0); i < mine.Length || j < beyond.Length;)
        {
            var isMine = j == beyond.Length || (i < mine.Length && mine[i].CompareTo(beyond[j]) <= 0);
            var dot = isMine ? mine[i++] : beyond[j++];
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

        return New(ends, kept[..count]);
    }

    /// <summary>One form for each context.</summary>
    private CausalContext New(in SmallMap<ReplicaId, long> ends, scoped ReadOnlySpan<Dot> dots)
    {
        if (ends.IsEmpty && dots.Length == 1)
        {
            return new(dots[0], 0);
        }

        if (ends.IsEmpty && dots.Length == 2 && dots[0].Source == dots[1].Source
            && dots[1].Number - dots[0].Number is var distance and <= int.MaxValue)
        {
            return new(dots[1], (int)distance);
        }

        return new(ends, dots.IsEmpty ? null : dots.SequenceEqual(_beyond) ? _beyond : dots.ToArray());
    }
}
