using Microsoft.Extensions.Logging;

namespace Geo.Consistency.Lattices;

/// <summary>
/// Keeps grains in conditional stores: what is there is read when the replica starts, and each changed state is written, merged with what
/// another silo or life of the cluster has written meanwhile (the worked design's section 5). Used under the lock of its exchange.
/// </summary>
/// <param name="cluster">The local cluster: its silos share the rows, other clusters have their own.</param>
/// <param name="group">Whose grains it has.</param>
/// <param name="data">What the replica has.</param>
/// <param name="repair">Hears of what a store had that nobody may have told.</param>
/// <param name="time">The clock of time-outs.</param>
/// <param name="logger">Hears of what cannot be stored or read.</param>
/// <param name="isHolder">True where the cluster has a replica by the present configuration: others keep nothing in its store.</param>
/// <param name="run">Runs something under the lock, and does what follows from it.</param>
internal sealed class LatticeStorage(
    ClusterId cluster, LatticeGroup group, LatticeData data, LatticeRepair repair, TimeProvider time, ILogger logger,
    Func<bool> isHolder, Action<Action<TimeSpan>> run) : IDisposable
{
    // A row that others write as fast is left for the next time.
    private const int MaxTries = 4;

    private readonly Dictionary<LatticeClass, IConditionalStore> _stores = [];
    private readonly List<(LatticeCell Cell, long Number, Completion<bool> Saved)> _waiting = [];
    private readonly List<Completion<bool>> _allSaved = [];
    private readonly AbandonedOperations _abandoned = new(data.Options.MaxAbandonedOperations, time);
    private readonly CancellationTokenSource _stopping = new();
    private bool _isBeginning;

    /// <summary>The classes whose rows are not all read yet.</summary>
    internal int Loading { get; private set; }

    /// <summary>Which grains are to be written.</summary>
    internal LatticeSaves Saves { get; } = new(data.Options);

    private LatticeOptions Options => data.Options;

    /// <summary>The store of a class, before the start.</summary>
    /// <exception cref="GeoConfigurationException">It cannot list what it keeps, which would never be read.</exception>
    internal void Add(LatticeClass latticeClass, IConditionalStore store)
    {
        try
        {
            _ = store.ListAsync(PrefixOf(latticeClass), _stopping.Token);
        }
        catch (GeoStorageException e)
        {
            throw new GeoConfigurationException(
                $"The store of the coordination-free grain class '{latticeClass.Name}' cannot list what it keeps, so that a silo that "
                + "starts would not find it. Name a store that can, such as SQLite, PostgreSQL or Azure tables, with "
                + "[CoordinationFree(Storage = ...)].",
                e);
        }

        _stores.Add(latticeClass, store);
    }

    /// <summary>Begins to read what is stored.</summary>
    internal void Start()
    {
        Loading = _stores.Count;
        foreach (var (latticeClass, store) in _stores)
        {
            _ = LoadAsync(latticeClass, store);
        }
    }

    /// <summary>A grain has changed.</summary>
    internal void Changed(LatticeCell cell, TimeSpan now)
    {
        if (isHolder() && _stores.ContainsKey(cell.Class))
        {
            Saves.Changed(cell, now);
        }
    }

    /// <summary>Begins the writes that are due.</summary>
    internal void Begin(TimeSpan now)
    {
        if (_isBeginning)
        {
            return;
        }

        // A store that answers at once ends a write within its beginning.
        _isBeginning = true;
        while (Saves.Begin(now) is { } cell)
        {
            _ = SaveAsync(cell);
        }

        _isBeginning = false;
    }

    /// <summary>Waits until the store has the updates made to a grain here.</summary>
    /// <exception cref="InvalidOperationException">Its class has no store.</exception>
    /// <exception cref="GeoUnavailableException">As many wait as may.</exception>
    /// <exception cref="GeoStorageException">The store refuses the state.</exception>
    internal Task SavedAsync(LatticeCell cell, TimeSpan now, CancellationToken cancellationToken)
    {
        if (!_stores.ContainsKey(cell.Class))
        {
            throw new InvalidOperationException(
                $"Grain class '{cell.Class.Name}' is not stored; name a store with [CoordinationFree(Storage = ...)].");
        }

        if (cell.Own <= (cell.Save?.Through ?? 0))
        {
            return Task.CompletedTask;
        }

        _waiting.RemoveAll(static w => w.Saved.Task.IsCompleted);
        if (_waiting.Count >= Options.MaxWaiters)
        {
            ConsistencyMetrics.WaitsRefused.Add(1);
            throw new GeoUnavailableException(
                $"{Options.MaxWaiters} callers wait for their updates to be stored, as many as MaxWaiters allows.");
        }

        var saved = new Completion<bool>(cancellationToken);
        _waiting.Add((cell, cell.Own, saved));
        Saves.Hurry(cell, now);
        return saved.Task;
    }

    /// <summary>Waits until the stores lack nothing of what is here now.</summary>
    /// <exception cref="OperationCanceledException">The wait was given up.</exception>
    internal Task AllSavedAsync(TimeSpan now, CancellationToken cancellationToken)
    {
        Saves.HurryAll(now);
        if (Saves.Dirty == 0)
        {
            return Task.CompletedTask;
        }

        var saved = new Completion<bool>(cancellationToken);
        _allSaved.Add(saved);
        return saved.Task;
    }

    /// <summary>Begins no more; what has left is left to itself.</summary>
    public void Dispose() => _stopping.Cancel();

    private async Task SaveAsync(LatticeCell cell)
    {
        long? saved = null;
        Exception? refusal = null;
        try
        {
            var row = new LatticeRow(_stores[cell.Class], KeyOf(cell.Key), Options.StorageTimeout, _abandoned, time, logger);
            saved = await SaveAsync(cell, row);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The state is too large, its key too long, another version wrote the row, or a lattice of the application throws: it is tried
            // again, more and more seldom.
            refusal = e;
            LatticeLog.NotSaved(logger, e, cell.Key);
        }

        run(now => End(cell, saved, refusal, now));
    }

    /// <summary>Writes a cell, merged with what others have written.</summary>
    /// <returns>The number up to which the store has the updates made here; null when that is not known.</returns>
    private async Task<long?> SaveAsync(LatticeCell cell, LatticeRow row)
    {
        for (var tries = 0; tries < MaxTries && !_stopping.IsCancellationRequested; tries++)
        {
            var (state, through, expected) = (default(byte[]), 0L, default(ETag?));
            run(_ => (state, through, expected) = (cell.ToStored(data.Id), cell.Own, cell.Save!.ETag));
            if (state is null)
            {
                // The replica has ended since.
                return null;
            }

            if (state.Length > Options.Limits.MaxBytes)
            {
                throw new GeoStorageException(
                    $"The state of {cell.Key} has {state.Length} bytes, more than LatticeLimits.MaxBytes, {Options.Limits.MaxBytes}, "
                    + "allows to be read again.");
            }

            var write = await row.WriteAsync(state, expected, _stopping.Token);
            if (write.Outcome == StoreWriteOutcome.Applied)
            {
                run(_ => cell.Save!.ETag = write.ETag);
                return through;
            }

            var read = write.Outcome == StoreWriteOutcome.Conflict ? await row.ReadAsync(_stopping.Token) : StoreRead.Unknown("");
            if (read.Outcome == StoreReadOutcome.Unknown)
            {
                return null;
            }

            LatticeMetrics.SaveConflicts.Add(1);
            var hasAll = false;
            run(now =>
            {
                // An earlier life's late write, after the row was read at start, may have what nobody else has.
                hasAll = read.Outcome == StoreReadOutcome.Found && Merge(cell, read.Value.Span, now);
                (cell.Save!.ETag, through) = (read.ETag, cell.Own);
            });
            if (hasAll)
            {
                return through;
            }
        }

        return null;
    }

    private void End(LatticeCell cell, long? saved, Exception? refusal, TimeSpan now)
    {
        (saved is null ? LatticeMetrics.SavesFailed : LatticeMetrics.Saves).Add(1);
        cell.Save!.Through = Math.Max(cell.Save.Through, saved ?? 0);
        Saves.End(cell, saved is not null, now);
        _waiting.RemoveAll(w =>
        {
            if (w.Cell == cell && refusal is not null)
            {
                w.Saved.TrySetFaulted(refusal);
            }
            else if (w.Cell == cell && w.Number <= cell.Save.Through)
            {
                w.Saved.TrySetResult(true);
            }
            else if (w.Cell == cell)
            {
                Saves.Hurry(cell, now);
            }

            return w.Saved.Task.IsCompleted;
        });
        if (Saves.Dirty == 0)
        {
            _allSaved.ForEach(static s => s.TrySetResult(true));
            _allSaved.Clear();
        }
    }

    private async Task LoadAsync(LatticeClass latticeClass, IConditionalStore store)
    {
        for (var failures = 0; !await TryLoadAsync(latticeClass, store); failures++)
        {
            await Task.Delay(Options.WaitAfter(failures), time, _stopping.Token)
                .ConfigureAwait(ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing);
            if (_stopping.IsCancellationRequested)
            {
                return;
            }
        }

        run(_ => Loading--);
    }

    /// <summary>Merges all rows of a class; false when the store did not give them all.</summary>
    private async Task<bool> TryLoadAsync(LatticeClass latticeClass, IConditionalStore store)
    {
        if (!_abandoned.MayBegin())
        {
            return false;
        }

        var prefix = PrefixOf(latticeClass);
        try
        {
            await using var rows = new PatientList(store.ListAsync(prefix, _stopping.Token), Options.StorageTimeout, _abandoned, time);
            while (await rows.NextAsync(_stopping.Token))
            {
                var row = rows.Current;
                run(now => Take(row.Key[prefix.Length..], latticeClass, row, now));
            }

            return true;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // Whatever a store throws that should throw nothing, what it keeps is asked for again.
            LatticeLog.NotLoaded(logger, e, latticeClass.Name);
            return false;
        }
    }

    private void Take(string key, LatticeClass latticeClass, StoreEntry row, TimeSpan now)
    {
        var grain = new GrainKey(latticeClass.Name, key);
        try
        {
            var cell = data.Open(grain, latticeClass);
            if (!LatticeRules.IsOff(LatticeRule.OldStates))
            {
                // The row is old: what of it had come here, and is not here any more, was removed, and may have been forgotten since.
                cell.Close(data.Applied);
            }

            Merge(cell, row.Value.Span, now);
            (cell.Save ??= new()).ETag ??= row.ETag;
            LatticeMetrics.Loaded.Add(1);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // Whatever a lattice of the application throws, the other rows are read.
            data.PutAside(new(grain, data.Id, e.Message));
        }
    }

    private bool Merge(LatticeCell cell, ReadOnlySpan<byte> stored, TimeSpan now)
    {
        var hasAll = data.MergeStored(cell, stored);
        repair.AddStray(cell, now);
        return hasAll;
    }

    private string PrefixOf(LatticeClass latticeClass) => group.RowsOf(cluster, latticeClass.Name);

    private string KeyOf(GrainKey key) => group.RowsOf(cluster, key.Type) + key.Key;
}
