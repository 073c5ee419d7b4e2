using System.Numerics;

namespace Geo.Consistency.Lattices;

/// <summary>One grain at one replica.</summary>
internal sealed class LatticeCell<T>(GrainKey key, LatticeClass latticeClass) : LatticeCell(key, latticeClass)
    where T : ILattice<T>
{
    // Updates made here, the newest last, each merged from those of some epochs (design 4.1).
    internal const int MaxSegments = 4;

    // From how many updates on, and at each doubling, a segment is compared with the state.
    private const int ManyUpdates = 32;

    private List<Segment>? _segments;

    internal T State { get; private set; } = T.Bottom;

    internal override int Kept => _segments?.Count ?? 0;

    internal override bool IsEmpty => T.HasDots && State.IsEmpty;

    internal override bool IsAbsentAfter(VectorClock collected) =>
        IsEmpty && (LatticeRules.IsOff(LatticeRule.CollectStable) || Closed(State, collected).Equals(Closed(T.Bottom, collected)));

    /// <summary>Merges an update that was made here.</summary>
    /// <param name="delta">The update.</param>
    /// <param name="number">Its last number.</param>
    /// <param name="epoch">The number that the present epoch began after.</param>
    /// <param name="self">This replica.</param>
    /// <param name="isKept">True where other replicas need it.</param>
    internal void Update(T delta, long number, long epoch, ReplicaId self, bool isKept)
    {
        State = State.Merge(delta, self, number);
        HasMade(number);
        if (isKept)
        {
            Keep(delta, number, epoch);
        }

        Changed?.Invoke();
    }

    internal override bool Merge(ref LatticeReader from, VectorClock seen, bool isState, VectorClock? known)
    {
        var other = from.Read<T>();
        if (!from.Body.Rest.IsEmpty)
        {
            throw LatticeReader.Damaged("goes on behind its end");
        }

        return Absorb(other, seen, isState, known);
    }

    internal override byte[] ToStored(ReplicaId self) => LatticeForm.ToBytes(new Pair<VectorClock, T>(Seen(self), State));

    internal override (ulong Latest, bool IsAll) MergeStored(ReadOnlySpan<byte> stored, LatticeLimits limits, ReplicaId self)
    {
        var (seen, state) = LatticeForm.FromBytes<Pair<VectorClock, T>>(stored, limits, out var latest);
        Absorb(state, seen, isState: true, known: null);
        return (latest, state.Equals(State) && seen.Covers(Seen(self)));
    }

    internal override void Forget(VectorClock seen)
    {
        if (T.HasDots)
        {
            State = State.Merge(Closed(T.Bottom, seen));
            Changed?.Invoke();
        }
    }

    internal override void Close(VectorClock seen) => State = Closed(State, Lacks?.Below(seen) ?? seen);

    internal override void Adopt(long number, long epoch, VectorClock applied, ReplicaId self, bool isKept)
    {
        State = State.Close(VectorClock.Of(self, number));
        HasSeenAtMost(applied);
        HasMade(number);
        _segments = isKept ? [new(number, T.Bottom, 0, IsWhole: true)] : null;
        Changed?.Invoke();
    }

    internal override bool IsWholeAfter(long after) => _segments?.Exists(s => s.IsWhole && s.Last > after) == true;

    internal override void WriteState(LatticeWriter to) => State.Write(to);

    internal override void WriteDelta(long after, LatticeWriter to)
    {
        var delta = T.Bottom;
        foreach (var segment in _segments ?? [])
        {
            delta = segment.Last > after ? delta.Merge(segment.IsWhole ? State : segment.Delta) : delta;
        }

        delta.Write(to);
    }

    internal override void Trim(long through) => _segments?.RemoveAll(s => s.Last <= through);

    private bool Absorb(T other, VectorClock seen, bool isState, VectorClock? known)
    {
        var before = State;
        State = State.Merge(other);
        if (!isState)
        {
            Close(seen);
        }

        if (before.Equals(State) && !LatticeRules.IsOff(LatticeRule.StraysAreNews))
        {
            // What nobody vouches for is lacking nowhere: whoever has what this cell is told by has it.
            HasSeen(known is null ? seen : seen.Meet(known));
            return false;
        }

        HasSeen(seen);
        Changed?.Invoke();
        return true;
    }

    private static T Closed(T state, VectorClock seen) =>
        T.HasDots && !LatticeRules.IsOff(LatticeRule.Close) ? state.Close(seen) : state;

    private void Keep(T delta, long number, long epoch)
    {
        _segments ??= [];
        if (_segments.Count > 0 && _segments[^1].Last > epoch)
        {
            _segments[^1] = Joined(_segments[^1], new(number, delta, 1, IsWhole: false));
            return;
        }

        if (_segments.Count == MaxSegments)
        {
            // The two oldest become one: whoever asks for a part of it gets more than is missing, which is as well.
            _segments[1] = Joined(_segments[0], _segments[1]);
            _segments.RemoveAt(0);
        }

        _segments.Add(new(number, delta, 1, IsWhole: false));
    }

    /// <summary>
    /// One segment of two. The context of a delta grows with each update, that of a state does not: once the delta is the larger one, the
    /// state stands for it.
    /// </summary>
    private Segment Joined(in Segment first, in Segment second)
    {
        if (first.IsWhole || second.IsWhole)
        {
            return new(second.Last, T.Bottom, 0, IsWhole: true);
        }

        var (merged, updates) = (first.Delta.Merge(second.Delta), first.Updates + second.Updates);
        var hasDoubled = updates >= ManyUpdates && BitOperations.Log2((uint)updates) > BitOperations.Log2((uint)first.Updates);
        return hasDoubled && T.HasDots && LengthOf(merged) >= LengthOf(State)
            ? new(second.Last, T.Bottom, 0, IsWhole: true)
            : new(second.Last, merged, updates, IsWhole: false);
    }

    private static int LengthOf(T value)
    {
        var writer = new LatticeWriter();
        value.Write(writer);
        return writer.Body.Written.Length;
    }

    /// <summary>Updates of some epochs.</summary>
    /// <param name="Last">The number of the last.</param>
    /// <param name="Delta">All of them.</param>
    /// <param name="Updates">How many they are.</param>
    /// <param name="IsWhole">True when the state stands for them.</param>
    private readonly record struct Segment(long Last, T Delta, int Updates, bool IsWhole);
}
