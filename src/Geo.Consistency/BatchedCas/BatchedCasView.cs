namespace Geo.Consistency;

/// <summary>
/// The view of a persistent grain: the latest version is in a conditional store (GEO section 3.4, batching compare-and-swap).
/// At most one storage operation is in flight; one conditional write carries everything queued. What an outcome means is decided
/// by <see cref="BatchedCasRules"/>; this class carries it out.
/// </summary>
internal sealed class BatchedCasView<TState, TUpdate> : QueuedView<TState, TUpdate>
{
    private const string Reading = "reading from storage";
    private const string Writing = "writing to storage";

    private readonly StoredRow _row;
    private readonly BatchedCasOptions _options;
    private CasState _state = CasState.Initial;
    private CasNotification? _notification;

    internal BatchedCasView(
        GrainKey key,
        IViewModel<TState, TUpdate> model,
        IConditionalStore store,
        IReplicaLink link,
        ViewServices services,
        IViewObserver? observer)
        : base(
            key, model, link, services, observer, services.BatchedCas.MaxPending, services.BatchedCas.MaxBatch,
            services.BatchedCas.MaxWaiters)
    {
        _options = services.BatchedCas;
        _row = new(
            store, VersionedViews.StoreKeyPrefix + key, _options.StorageTimeout, _options.MaxAbandonedOperations, services.Time, Logger);
    }

    /// <summary>False only to show what becomes of the updates without the stamps.</summary>
    internal bool ChecksStamps { get; init; } = true;

    public override ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(
        ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        try
        {
            var notification = CasNotification.Read(payload);
            if (notification.Version > Math.Max(_state.Version, _notification?.Version ?? 0))
            {
                _notification = notification with { Value = notification.Value.ToArray() };
                Wake();
                return default;
            }
        }
        catch (GeoSerializationException e)
        {
            ViewLog.UnreadableNotification(Logger, Key, from, e.Message);
        }

        ConsistencyMetrics.NotificationsIgnored.Add(1);
        return default;
    }

    public override void LinkUp(ClusterId cluster)
    {
        if (_state.Version > 0)
        {
            Link.Notify(new CasNotification(_state.Version, null, default).Write());
        }
    }

    public override SessionMark? Mark(ulong grain) => Version > 0 ? SessionMark.Stored(grain, Version) : null;

    protected override MarkState StateOf(SessionMark mark) =>
        mark.Kind == SessionMarkKind.Stored && mark.Version <= Version ? MarkState.Contained : MarkState.Behind;

    protected override long? DecidedOf(uint instance, out bool mayBeForgotten)
    {
        mayBeForgotten = false;
        return null;
    }

    protected override async ValueTask<bool> StepAsync()
    {
        TakeNotification();
        switch (BatchedCasRules.Next(_state, Queue.Count > 0, Waiters.WantsRefresh, Waiters.Any))
        {
            case CasStep.Read:
                await ReadAsync();
                return true;
            case CasStep.Write:
                await WriteAsync();
                return true;
            default:
                return false;
        }
    }

    private void TakeNotification()
    {
        if (_notification is not { } notification)
        {
            return;
        }

        _notification = null;
        if (notification.Version <= _state.Version)
        {
            ConsistencyMetrics.NotificationsIgnored.Add(1);
            return;
        }

        try
        {
            if (notification.ETag is { } etag)
            {
                See(StoredVersion.Read(notification.Value), etag);
                return;
            }
        }
        catch (GeoSerializationException e)
        {
            // Storage has the last word on what the state is.
            ViewLog.UnreadableNotification(Logger, Key, default, e.Message);
        }

        _state = BatchedCasRules.Announced(_state, notification.Version);
    }

    private async Task ReadAsync()
    {
        if (_state.Conflicts > 1)
        {
            await Task.Delay(
                BackOff.AfterConflicts(_state.Conflicts - 1, _options.ConflictBase, _options.ConflictMaximum, Services.Random),
                Services.Time,
                Stopping);
        }

        var operation = Waiters.Begin();
        StoreRead read;
        try
        {
            read = await _row.ReadAsync(Stopping);
            Stopping.ThrowIfCancellationRequested();
        }
        catch (GeoStorageException e)
        {
            Fault(Reading, e);
            return;
        }

        if (read.Outcome == StoreReadOutcome.Unknown)
        {
            ConsistencyMetrics.UnknownOutcomes.Add(1);
            _state = BatchedCasRules.ReadFailed(_state);
            await FailedAsync(Reading, read.Reason ?? "no reason given", _state.Failures, _options.RetryBase, _options.RetryMaximum);
            return;
        }

        try
        {
            var stored = read.Outcome == StoreReadOutcome.Found ? StoredVersion.Read(read.Value) : new(0, AppliedTable.Empty, default);
            var seen = See(stored, read.ETag);
            if (seen.Verdict == CasVerdict.Replaced)
            {
                Fault(Reading, new GeoStorageException(
                    $"The stored state of {Key} (store key '{_row.Key}') was deleted or set back from version {Version} to "
                    + $"{stored.Version} by "
                    + "something other than Geo. Nothing was written over it; deactivate the grain in all clusters to go on from what is "
                    + "stored."));
                return;
            }

            if (seen is { Landed: > 0, IsForeign: false } && read.ETag is { } etag)
            {
                NotifyOthers(stored.Version, etag, read.Value);
            }
        }
        catch (GeoSerializationException e)
        {
            Fault(Reading, new GeoSerializationException(
                $"The stored state of {Key} (store key '{_row.Key}') cannot be read as {typeof(TState)}: {e.Message} It was left as it is. "
                + "Run a version of the application that can read it, or repair or remove the row.", e));
            return;
        }

        Waiters.Succeeded(operation, Queue.ResolvedThrough);
    }

    /// <summary>Adopts a stored version, unless its history is not the one shown so far.</summary>
    /// <exception cref="GeoSerializationException">The state cannot be read; nothing was adopted.</exception>
    private CasObservation See(StoredVersion stored, ETag? etag)
    {
        var seen = BatchedCasRules.Observe(_state, etag, stored.Version, stored.Stamps, InstanceId, ChecksStamps);
        if (seen.Verdict == CasVerdict.Newer)
        {
            var state = Copy.Read(stored.Version, stored.State);
            _state = seen.Next;
            Adopt(stored, state, seen);
        }

        _state = seen.Next;
        if (seen.Verdict != CasVerdict.Replaced && Queue.Count == 0 && _state.Failures == 0)
        {
            Issues.Resolved();
        }

        return seen;
    }

    private void Adopt(StoredVersion stored, TState state, CasObservation seen)
    {
        Settle(seen);
        var hadUpdates = Queue.Count > 0;
        if (seen.IsForeign)
        {
            Queue.RefuseConditional();
        }

        Copy.Adopt(stored.Version, stored.State, state);
        Waiters.Confirmed(Queue.ResolvedThrough);
        if (hadUpdates)
        {
            Observer?.TentativeChanged();
        }

        Observer?.ConfirmedChanged();
    }

    private void Settle(CasObservation seen)
    {
        if (seen.Landed > 0)
        {
            Queue.RemoveConfirmed(seen.Landed);
            ViewLog.FoundApplied(Logger, Key, seen.Landed, seen.Next.Version);
        }

        if (seen.InDoubt > 0)
        {
            var lost = new GeoOutcomeUnknownException(
                $"Whether {seen.InDoubt} updates of {Key} took effect can no longer be found out: more than {_options.MaxStamps} other "
                + "instances (option MaxStamps) wrote before their write was settled. They will not be written again.");
            ViewLog.NeedsAttention(Logger, Key, lost.Message);
            Queue.RemoveInDoubt(seen.InDoubt, lost);
            Waiters.Fail(lost);
            Issues.Arose(Writing, lost.Message);
        }
    }

    private async Task WriteAsync()
    {
        var count = Queue.BatchSize();
        _state = BatchedCasRules.WriteBegins(_state);
        var version = _state.Version + count;
        var stamps = _state.Stamps.With(InstanceId, _state.LastAttempt, version, _options.MaxStamps);
        var writer = new PayloadWriter();
        StoredVersion.WriteHeader(writer, version, stamps);
        var headerLength = writer.Written.Length;
        StoreWrite write;
        long operation;
        try
        {
            Copy.WriteWith(count, writer);
            operation = Waiters.Begin();
            ConsistencyMetrics.UpdatesPerWrite.Record(count);
            write = await _row.WriteAsync(writer.Written, _state.ETag, Stopping);
            Stopping.ThrowIfCancellationRequested();
        }
        catch (GeoSerializationException e)
        {
            if (!TryQuarantine(count, e))
            {
                Fault(Writing, e);
            }

            return;
        }
        catch (GeoStorageException e)
        {
            Fault(Writing, e);
            return;
        }

        if (write.Outcome == StoreWriteOutcome.Applied && write.ETag is { } etag)
        {
            _state = BatchedCasRules.WriteApplied(_state, etag, version, stamps);
            Copy.ConfirmOldest(count, writer.Written[headerLength..]);
            NotifyOthers(version, etag, writer.Written);
            Issues.Resolved();
            Waiters.Succeeded(operation, Queue.ResolvedThrough);
            Observer?.ConfirmedChanged();
            return;
        }

        if (write.Outcome == StoreWriteOutcome.Conflict)
        {
            ConsistencyMetrics.Conflicts.Add(1);
            _state = BatchedCasRules.WriteConflicted(_state, count);
            return;
        }

        ConsistencyMetrics.UnknownOutcomes.Add(1);
        _state = BatchedCasRules.WriteUnknown(_state, count);
        await FailedAsync(Writing, write.Reason ?? "no reason given", _state.Failures, _options.RetryBase, _options.RetryMaximum);
    }

    /// <summary>
    /// Takes the updates out of the queue whose state cannot be written, so that the others go on. False when it is not the updates: then
    /// the last version itself cannot be written, or an attempt that carried them may have been applied.
    /// </summary>
    private bool TryQuarantine(int count, GeoSerializationException failure)
    {
        if (!CanWriteWith(0))
        {
            return false;
        }

        // The oldest groups up to "good" make a state that can be written, those up to "bad" one that cannot.
        var ends = Queue.GroupEnds(count);
        var (good, bad) = (-1, ends.Count - 1);
        while (bad - good > 1)
        {
            var middle = (good + bad) / 2;
            (good, bad) = CanWriteWith(ends[middle]) ? (middle, bad) : (good, middle);
        }

        var first = good < 0 ? 0 : ends[good];
        if (_state.Outstanding.Any(attempts => attempts.Updates > first))
        {
            return false;
        }

        var taken = ends[bad] - first;
        var reason = new GeoSerializationException(
            $"{taken} updates of {Key} ({Queue[first]?.GetType()}) make a state that cannot be written: {failure.Message} They were taken "
            + "out and are part of no version; the others go on.", failure);
        ViewLog.NeedsAttention(Logger, Key, reason.Message);
        ConsistencyMetrics.UpdatesQuarantined.Add(taken);
        Waiters.FailFrom(Queue.Quarantine(first, ends[bad], reason), reason);
        Copy.DropTentative();
        Issues.Arose(Writing, reason.Message, isPermanent: true);
        Issues.Resolved();
        Observer?.TentativeChanged();
        Waiters.Confirmed(Queue.ResolvedThrough);
        return true;
    }

    private bool CanWriteWith(int count)
    {
        try
        {
            Copy.WriteWith(count, new PayloadWriter());
            return true;
        }
        catch (GeoSerializationException)
        {
            return false;
        }
    }

    private void NotifyOthers(long version, ETag etag, ReadOnlyMemory<byte> value)
    {
        if (Link.Others.Count > 0)
        {
            var notification = value.Length <= _options.MaxNotifiedBytes
                ? new CasNotification(version, etag, value)
                : new CasNotification(version, null, default);
            Link.Notify(notification.Write());
        }
    }

    private void Fault(string what, Exception reason)
    {
        _state = BatchedCasRules.Faulted(_state);
        ViewLog.NeedsAttention(Logger, Key, reason.Message);
        Issues.Arose(what, reason.Message, isPermanent: true);
        if (_state.Outstanding.IsEmpty && Queue.RefuseConditional(reason))
        {
            Copy.DropTentative();
            Observer?.TentativeChanged();
        }

        Waiters.Fail(reason);
    }
}
