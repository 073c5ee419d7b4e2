namespace Geo.Consistency.Lattices;

/// <summary>
/// One grain at one replica, whatever its lattice: its state, what it has seen, and the updates made here that others may still need.
/// </summary>
internal abstract class LatticeCell(GrainKey key, LatticeClass latticeClass)
{
    private VectorClock _others = VectorClock.Bottom;

    internal GrainKey Key => key;

    internal LatticeClass Class => latticeClass;

    /// <summary>The number of the last update that was made here; 0 for none.</summary>
    internal long Own { get; private set; }

    /// <summary>Neighbours in the order of their last updates made here; see <see cref="ChangeList"/>.</summary>
    internal LatticeCell? Older { get; set; }

    /// <inheritdoc cref="Older"/>
    internal LatticeCell? Newer { get; set; }

    /// <summary>True while it is in that order.</summary>
    internal bool IsListed { get; set; }

    /// <summary>How many use it in this process, which keeps it from being forgotten.</summary>
    internal int Users { get; set; }

    /// <summary>Told, under the replica's lock, when the state has grown.</summary>
    internal Action? Changed { get; set; }

    /// <summary>What is known of its row in the class's store; null where there is none, or nothing was changed yet.</summary>
    internal CellSave? Save { get; set; }

    /// <summary>What was put aside of it; null for nothing.</summary>
    internal LatticeFloors? Lacks { get; set; }

    /// <summary>The time of the latest stamp in it that was too far ahead to move the replica's clock; 0 for none.</summary>
    internal ulong Ahead { get; set; }

    /// <summary>How many parts the updates made here are kept in for others, or the state stands for them.</summary>
    internal abstract int Kept { get; }

    /// <summary>True when only its contexts hold anything.</summary>
    internal abstract bool IsEmpty { get; }

    /// <summary>The last update of each other source that it has seen.</summary>
    internal VectorClock SeenOfOthers => _others;

    /// <summary>
    /// True when it is empty, and a cell that is absent, where all up to these has been collected, stands for the same: nothing that it has
    /// seen is beyond them, such as a removal that came here before the addition did.
    /// </summary>
    internal abstract bool IsAbsentAfter(VectorClock collected);

    /// <summary>The last update of each source that it has seen.</summary>
    internal VectorClock Seen(ReplicaId self) => Own == 0 ? _others : _others.Merge(VectorClock.Of(self, Own));

    /// <summary>True when it has nothing that a replica which has applied so much lacks.</summary>
    internal bool IsCoveredBy(VectorClock applied, ReplicaId self) => Own <= applied[self] && applied.Covers(_others);

    /// <summary>True when all it has that is lacking was made here, and the updates are still kept.</summary>
    internal bool IsCoveredButForOwn(VectorClock applied, ReplicaId self, long trimmed) =>
        applied[self] >= trimmed && applied.Covers(_others);

    /// <summary>Merges what came from another replica.</summary>
    /// <param name="from">The state or delta.</param>
    /// <param name="seen">The last update of each source in it.</param>
    /// <param name="isState">True for a whole state, whose contexts say what was seen; a delta has all updates that lack here.</param>
    /// <param name="known">The updates that will all have come with it; null where those in it are.</param>
    /// <returns>False when nothing came that was not here.</returns>
    /// <exception cref="GeoException">It cannot be read; nothing has changed.</exception>
    internal abstract bool Merge(ref LatticeReader from, VectorClock seen, bool isState, VectorClock? known);

    /// <summary>Closes its contexts: all updates up to these were seen, and those whose content is not here were removed.</summary>
    internal abstract void Forget(VectorClock seen);

    /// <summary>Makes it know that all updates up to these were seen, but for those that it <see cref="Lacks"/>.</summary>
    internal abstract void Close(VectorClock seen);

    /// <summary>Makes its whole state an update of this replica.</summary>
    internal abstract void Adopt(long number, long epoch, VectorClock applied, ReplicaId self, bool isKept);

    internal abstract void WriteState(LatticeWriter to);

    /// <summary>Writes the updates made here after a number; more than these do no harm.</summary>
    internal abstract void WriteDelta(long after, LatticeWriter to);

    /// <summary>True when the state stands for updates made here after a number, and brings along those of others.</summary>
    internal abstract bool IsWholeAfter(long after);

    /// <summary>Its form for a store: what it has seen, and the state.</summary>
    internal abstract byte[] ToStored(ReplicaId self);

    /// <summary>Merges what was stored.</summary>
    /// <returns>The time of the latest stamp in it, 0 for none, and whether the store lacks nothing of what is here now.</returns>
    /// <exception cref="GeoException">It cannot be read or merged; nothing has changed.</exception>
    internal abstract (ulong Latest, bool IsAll) MergeStored(ReadOnlySpan<byte> stored, LatticeLimits limits, ReplicaId self);

    /// <summary>Lets go of updates made here that all others have.</summary>
    internal abstract void Trim(long through);

    protected void HasSeen(VectorClock seen) => _others = _others.Merge(seen);

    /// <summary>What it has beyond this goes by a number of this replica.</summary>
    protected void HasSeenAtMost(VectorClock applied) => _others = _others.Meet(applied);

    protected void HasMade(long number) => Own = number;
}
