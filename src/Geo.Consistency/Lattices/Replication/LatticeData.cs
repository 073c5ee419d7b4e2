namespace Geo.Consistency.Lattices;

/// <summary>What a replica has: its cells, and of which sources it has all updates up to which number. Not thread-safe.</summary>
internal sealed class LatticeData(
    ReplicaId id, TimeProvider time, LatticeOptions options, Func<string, LatticeClass?> classes)
{
    // More than there are updates in any life.
    private const long FirstOfPreviews = 1L << 62;

    private readonly HashSet<LatticeCell> _empty = [];
    private readonly Queue<QuarantinedUpdate> _quarantine = new();
    private readonly LatticeHoles _holes = new(options.MaxQuarantined);
    private VectorClock _others = VectorClock.Bottom;
    private VectorClock _applied = VectorClock.Bottom;
    private LatticeOrigin? _origin;
    private long _epoch;

    internal ReplicaId Id => id;

    internal LatticeOptions Options => options;

    internal LatticeCells Cells { get; } = new();

    internal ChangeList Changes { get; } = new();

    internal HybridClock Clock { get; } = new(time, id, options.MaxClockAhead);

    internal LatticeOrigin Origin => _origin ??= new(Clock);

    /// <summary>What gives dots and stamps that are later than all, and that nobody else sees.</summary>
    internal LatticeOrigin NewPreview()
    {
        var clock = new HybridClock(time, id, TimeSpan.MaxValue);
        clock.TrySee(Clock.Latest);
        return new(clock, FirstOfPreviews);
    }

    /// <summary>The number of the last update made here.</summary>
    internal long Last => Origin.Last;

    /// <summary>The number up to which updates made here are not kept for others any more.</summary>
    internal long Trimmed { get; private set; }

    /// <summary>
    /// What may have been forgotten here, because all had seen it. An absent cell is empty and has seen so much (design 4.9).
    /// </summary>
    internal VectorClock Collected { get; private set; } = VectorClock.Bottom;

    /// <summary>Of each source, the number up to which all updates have come, and were merged or put aside.</summary>
    internal VectorClock Applied => _applied[id] == Last ? _applied : _applied = _others.Merge(VectorClock.Of(id, Last));

    /// <summary>Of each source, the number up to which all updates are here and none was put aside.</summary>
    internal VectorClock Vouched => _holes.Below(Applied);

    /// <summary>Of each source, the number up to which all is here, but for what nobody can give: others may have what is beyond.</summary>
    internal VectorClock Complete => _holes.BelowDonors(Applied);

    /// <summary>Of sources of which something was put aside, the number up to which the others have come.</summary>
    internal VectorClock Beyond => ReferenceEquals(Vouched, Applied) ? VectorClock.Bottom : Applied.Beyond(Vouched);

    /// <summary>What was put aside, by grain.</summary>
    internal LatticeHoles Holes => _holes;

    /// <summary>The grains of which something was put aside.</summary>
    internal LatticeLacking Lacking => _holes.Told;

    /// <summary>What could not be merged lately, the oldest first.</summary>
    internal IReadOnlyCollection<QuarantinedUpdate> Quarantine => _quarantine;

    /// <summary>Checks that a grain shows all updates that it should.</summary>
    /// <exception cref="GeoUnavailableException">One was put aside.</exception>
    internal void CheckLacksNothing(LatticeCell cell)
    {
        if (cell.Lacks is not null)
        {
            throw new GeoUnavailableException(
                $"An update of {cell.Key} could not be merged here and was put aside. What the session has seen may be missing until the "
                + $"silo starts anew. See geo.lattices.quarantined in docs/operations.md. "
                + _quarantine.LastOrDefault(update => update.Grain == cell.Key)?.Reason);
        }
    }

    /// <summary>What is known to be forgotten of a grain, besides <see cref="Collected"/>.</summary>
    internal Func<GrainKey, VectorClock>? CollectedOf { get; set; }

    /// <summary>Told of each update that could not be merged.</summary>
    internal Action<QuarantinedUpdate>? Quarantined { get; set; }

    /// <summary>Told of each cell that has changed.</summary>
    internal Action<LatticeCell>? Changed { get; set; }

    /// <summary>Where updates are needed by others; false for a replica that is alone.</summary>
    internal bool KeepsUpdates { get; set; }

    /// <summary>The cell of a grain.</summary>
    /// <exception cref="GeoUnavailableException">There are as many as may be.</exception>
    internal LatticeCell Open(GrainKey key, LatticeClass latticeClass)
    {
        if (Cells.Find(key) is { } found)
        {
            return found;
        }

        if (Cells.Count >= options.MaxGrains)
        {
            throw new GeoUnavailableException(
                $"The silo keeps {options.MaxGrains} coordination-free grains, as many as MaxGrains allows; {key} is not among them.");
        }

        var cell = latticeClass.Create(key);
        cell.Lacks = _holes.Take(key);
        if (!LatticeRules.IsOff(LatticeRule.AbsentIsSeen))
        {
            cell.Close(CollectedOf is { } also && !LatticeRules.IsOff(LatticeRule.OldStates) ? Collected.Merge(also(key)) : Collected);
        }

        Cells.Add(cell);
        return cell;
    }

    /// <summary>Makes an update.</summary>
    /// <returns>False when it changes nothing.</returns>
    internal bool Update<T>(LatticeCell<T> cell, Func<T, LatticeOrigin, T> change, TransactionStamp? stamp = null)
        where T : ILattice<T>
    {
        var ahead = cell.Ahead;
        var delta = Origin.Make(cell.State, change, ref ahead, stamp);
        if (delta.Equals(T.Bottom))
        {
            return false;
        }

        cell.Ahead = ahead;

        cell.Update(delta, Last, _epoch, id, KeepsUpdates);
        Changed?.Invoke(cell);
        if (KeepsUpdates)
        {
            Changes.Touch(cell);
        }

        NoteIfEmpty(cell);
        return true;
    }

    /// <summary>The number that the present epoch began after.</summary>
    internal long Epoch => _epoch;

    /// <summary>Updates from now on are of another epoch.</summary>
    internal void EndEpoch() => _epoch = Last;

    /// <summary>Merges the cells of a message; what cannot be merged is put aside, and the others go on (design 4.7).</summary>
    /// <param name="from">Its sender.</param>
    /// <param name="cells">The cells.</param>
    /// <param name="told">Hears of each cell in it that is here, and whether what came has changed it.</param>
    /// <param name="known">The updates that will all have come with it; null where those in it are.</param>
    /// <exception cref="GeoSerializationException">The message is damaged.</exception>
    internal void Merge(ReplicaId from, CellReader cells, Action<LatticeCell, bool>? told = null, VectorClock? known = null)
    {
        while (cells.Next())
        {
            var hasChanged = TryMerge(from, in cells, known);
            if (told is not null && Cells.Find(cells.Key) is { } cell)
            {
                told(cell, hasChanged);
            }
        }
    }

    /// <summary>
    /// Makes what a cell has beyond the updates that have all come here an update of this replica: its source may be dead, and no other
    /// replica may know of it.
    /// </summary>
    internal void Adopt(LatticeCell cell)
    {
        Origin.Skip();
        if (Try(cell, c => c.Adopt(Last, _epoch, Applied, id, KeepsUpdates)))
        {
            Changed?.Invoke(cell);
            if (KeepsUpdates)
            {
                Changes.Touch(cell);
            }
        }
    }

    /// <summary>Any grain may lack updates up to these.</summary>
    internal void LackAny(VectorClock updates) => _holes.AddAny(Cells.All, updates, Applied);

    /// <summary>All updates up to these have come.</summary>
    internal void Raise(VectorClock applied)
    {
        _others = _others.Merge(applied);
        _applied = _others.Merge(VectorClock.Of(id, Last));
    }

    /// <summary>All is here that another replica had when it had forgotten so much.</summary>
    internal void Inherit(VectorClock collected)
    {
        if (!LatticeRules.IsOff(LatticeRule.InheritCollected))
        {
            Collected = Collected.Merge(_holes.Below(collected));
        }
    }

    /// <summary>All others have the updates made here up to a number.</summary>
    internal void Trim(long through)
    {
        if (through > Trimmed)
        {
            Trimmed = through;
            Changes.Trim(through);
        }
    }

    /// <summary>Forgets empty cells that all have seen.</summary>
    internal void Collect(VectorClock stable)
    {
        stable = LatticeRules.IsOff(LatticeRule.CollectStable) ? Applied : stable;
        foreach (var cell in _empty.ToArray())
        {
            if (!Try(cell, c => Collect(c, stable)))
            {
                _empty.Remove(cell);
            }
        }
    }

    private void Collect(LatticeCell cell, VectorClock stable)
    {
        if (!cell.IsEmpty)
        {
            _empty.Remove(cell);
        }
        else if (cell.Users == 0 && cell.Lacks is null && cell.Save is not { IsDirty: true } && cell.IsCoveredBy(stable, id)
            && cell.IsAbsentAfter(Collected.Merge(stable)))
        {
            _empty.Remove(cell);
            Changes.Remove(cell);
            Cells.Remove(cell);
            Collected = Collected.Merge(stable);
            LatticeMetrics.Collected.Add(1);
        }
    }

    /// <summary>True when there may be something to forget.</summary>
    internal bool HasEmpty => _empty.Count > 0;

    /// <summary>How many grains are empty and not forgotten yet.</summary>
    internal int Empty => _empty.Count(static cell => cell.IsEmpty);

    /// <summary>Makes a cell that another replica lacks, because it has collected it, know what was removed there.</summary>
    internal void Forget(LatticeCell cell, VectorClock collected)
    {
        if (Try(cell, c =>
        {
            c.Forget(collected);
            NoteIfEmpty(c);
        }))
        {
            Changed?.Invoke(cell);
        }
    }

    /// <summary>Merges what a store has of a grain.</summary>
    /// <returns>Whether the store lacks nothing of what is here now.</returns>
    /// <exception cref="GeoException">It cannot be read or merged; nothing has changed.</exception>
    internal bool MergeStored(LatticeCell cell, ReadOnlySpan<byte> stored)
    {
        var (latest, isAll) = cell.MergeStored(stored, options.Limits, id);
        See(cell, latest);
        NoteIfEmpty(cell);
        return isAll;
    }

    /// <summary>
    /// What is written from now on is later than what is shown: wherever it is written, or, where a clock was too far ahead, in this grain.
    /// </summary>
    private void See(LatticeCell cell, ulong latest)
    {
        if (!Clock.TrySee(new(latest, id)) && latest > cell.Ahead)
        {
            cell.Ahead = latest;
            LatticeMetrics.Ahead.Add(1);
        }
    }

    /// <returns>True when it has changed the cell.</returns>
    private bool TryMerge(ReplicaId from, in CellReader cells, VectorClock? known)
    {
        if (cells.Kind == CellContent.Lacking && Complete.Covers(cells.Seen))
        {
            // It has come since from another one.
            return false;
        }

        try
        {
            var latticeClass = Cells.Find(cells.Key)?.Class ?? classes(cells.Key.Type)
                ?? throw new GeoConfigurationException($"This silo has no coordination-free grain class '{cells.Key.Type}'.");
            if (cells.Kind is CellContent.Missing or CellContent.Lacking)
            {
                throw new GeoSerializationException(
                    cells.Kind == CellContent.Missing ? "Its sender could not write it." : "Its sender had put it aside itself.");
            }

            if (latticeClass.TypeCode != cells.TypeCode)
            {
                throw new GeoSerializationException($"The state of grain class '{latticeClass.Name}' is of another lattice there.");
            }

            var content = cells.Content;
            if (content.Body.Rest.Length > options.Limits.MaxBytes)
            {
                throw new GeoSerializationException(
                    $"The state has {content.Body.Rest.Length} bytes, more than LatticeLimits.MaxBytes, {options.Limits.MaxBytes}, "
                    + "allows.");
            }

            var cell = Open(cells.Key, latticeClass);
            LatticeMetrics.Merges.Add(1);
            var hasChanged = cell.Merge(ref content, cells.Seen, cells.Kind == CellContent.State, known);
            if (hasChanged)
            {
                Changed?.Invoke(cell);
            }

            See(cell, content.Latest);
            NoteIfEmpty(cell);
            return hasChanged;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // Whatever a lattice of the application throws, the other grains' updates must go on.
            if (!LatticeRules.IsOff(LatticeRule.Holes))
            {
                _holes.Add(
                    cells.Key, Cells.Find(cells.Key), classes(cells.Key.Type) is not null, cells.Kind == CellContent.Lacking, cells.Seen,
                    Complete);
            }

            PutAside(new(cells.Key, from, e.Message));
            return false;
        }
    }

    /// <summary>Reports what could not be merged.</summary>
    internal void PutAside(QuarantinedUpdate update)
    {
        if (_quarantine.Count == options.MaxQuarantined)
        {
            _quarantine.Dequeue();
        }

        _quarantine.Enqueue(update);
        LatticeMetrics.Quarantined.Add(1);
        Quarantined?.Invoke(update);
    }

    /// <summary>Reports what cannot be written for other replicas: it stays here alone.</summary>
    internal void PutAsideOwn(LatticeCell cell, Exception e) => PutAside(new(cell.Key, id, $"It cannot be written: {e.Message}"));

    /// <summary>Whatever a lattice of the application throws, the other grains go on.</summary>
    private bool Try(LatticeCell cell, Action<LatticeCell> action)
    {
        try
        {
            action(cell);
            return true;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            PutAside(new(cell.Key, id, e.Message));
            return false;
        }
    }

    private void NoteIfEmpty(LatticeCell cell)
    {
        if (cell.IsEmpty)
        {
            _empty.Add(cell);
        }
    }
}
