// Longer than most: an instance writes for itself, asks another to write for it, and writes for others, with one queue and one row.
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

    // Own compare-and-swaps after a hand-in that came to nothing, before the next one.
    private const int OwnWritesAfterFailure = 3;

    // Who was asked may name another one, who may do so once more.
    private const int MaxHops = 2;

    private readonly StoredRow _row;
    private readonly BatchedCasOptions _options;
    private readonly CasGuests<TUpdate> _guests;
    private readonly Func<long, int> _countThrough;
    private CasState _state = CasState.Initial;
    private CasPace _pace = CasPace.Initial;
    private CasNotification? _notification;
    private HandInWait? _waiting;
    private TimeSpan _patience;
    private bool _triesAgain;
    private bool _willTryAgain;

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
        _patience = _options.HandInWait;
        _guests = new(_options.MaxPending, _options.MaxGuestBytes);
        _countThrough = Queue.CountThrough;
        _row = new(
            store, VersionedViews.StoreKeyPrefix + key, _options.StorageTimeout, _options.MaxAbandonedOperations, services.Time, Logger);
    }

    private CasWriter Self => new(Link.Local, InstanceId);

    private TimeSpan Now => Services.Time.GetElapsedTime(0);

    public override ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(
        ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        try
        {
            switch (payload.IsEmpty ? default : (CasMessage)payload.Span[0])
            {
                case CasMessage.HandIn:
                    return WriteForAsync(from, payload, cancellationToken);
                case CasMessage.Notification:
                    TakeNotification(CasNotification.Read(payload[1..]));
                    return default;
                default:
                    throw new GeoSerializationException("It is of a kind that this version of Geo does not know.");
            }
        }
        catch (GeoSerializationException e)
        {
            ViewLog.UnreadableNotification(Logger, Key, from, e.Message);
            ConsistencyMetrics.NotificationsIgnored.Add(1);
            return default;
        }
    }

    public override void LinkUp(ClusterId cluster)
    {
        if (_state.Version > 0)
        {
            Link.Notify(new CasNotification(_state.Version, null, default).Write());
        }
    }

    public override ValueTask DisposeAsync()
    {
        _guests.EndAll(HandInCodec.WriteNotWriter(default));
        return base.DisposeAsync();
    }

    protected override async ValueTask<bool> StepAsync()
    {
        SeeNotification();
        switch (BatchedCasRules.Next(
            _state, Queue.Count > 0 || _guests.Any, Waiters.WantsRefresh, Waiters.Any || (_triesAgain && Queue.Count > 0)))
        {
            case CasStep.Read:
                await ReadAsync();
                return true;
            case CasStep.Write when HandInRules.Asks(_state, Link.Local, _pace, Now) && Link.Others.Contains(_state.Writer.Cluster):
                // Who asks another one to write for it writes for nobody.
                _guests.EndAll(HandInCodec.WriteNotWriter(_state.Writer));
                await (Queue.Count > 0 ? HandInAsync() : Task.CompletedTask);
                return true;
            case CasStep.Write:
                await WriteAsync();
                return true;
            default:
                return false;
        }
    }

    private void TakeNotification(CasNotification notification)
    {
        if (notification.Version <= Math.Max(_state.Version, _notification?.Version ?? 0))
        {
            ConsistencyMetrics.NotificationsIgnored.Add(1);
            return;
        }

        _notification = notification with { Value = notification.Value.ToArray() };
        if (_waiting is { } waiting)
        {
            // What was handed in may be in it.
            SeeNotification();
            waiting.Look(Queue.ResolvedThrough);
        }

        Wake();
    }

    private void SeeNotification()
    {
        if (_notification is not { } notification)
        {
            return;
        }

        _notification = null;
        SeeTold(notification);
    }

    /// <summary>Sees a version that another instance has told of; false when there is nothing new in it.</summary>
    private bool SeeTold(CasNotification told)
    {
        if (told.Version <= _state.Version)
        {
            ConsistencyMetrics.NotificationsIgnored.Add(1);
            return false;
        }

        try
        {
            if (told.ETag is { } etag && See(StoredVersion.Read(told.Value), etag).Verdict != CasVerdict.Replaced)
            {
                return true;
            }
        }
        catch (GeoSerializationException e)
        {
            // Storage has the last word on what the state is.
            ViewLog.UnreadableNotification(Logger, Key, default, e.Message);
        }

        _state = BatchedCasRules.Announced(_state, told.Version);
        return true;
    }

    private async Task ReadAsync()
    {
        _triesAgain = false;
        if (BatchedCasRules.SpreadsOut(_state))
        {
            await Task.Delay(
                BackOff.AfterConflicts(_state.Conflicts - 1, _options.ConflictBase, _options.ConflictMaximum, Services.Random),
                Services.Time,
                Stopping);
        }

        var operation = Waiters.Begin();
        var began = Now;
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

        _pace = _pace.Took(Now - began);
        try
        {
            var stored = read.Outcome == StoreReadOutcome.Found ? StoredVersion.Read(read.Value) : StoredVersion.None;
            var seen = See(stored, read.ETag);
            if (seen.Verdict == CasVerdict.Replaced)
            {
                Fault(Reading, new GeoStorageException(
                    $"The stored state of {Key} (store key '{_row.Key}') was deleted or set back from version {Version} to "
                    + $"{stored.Version}{(stored.Version < Version ? "" : " of another history")} by "
                    + "something other than Geo. Nothing was written over it; deactivate the grain in all clusters to go on from what is "
                    + "stored."));
                return;
            }

            if (seen.Verdict == CasVerdict.Newer && stored.Writer == Self && read.ETag is { } etag)
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
        var seen = BatchedCasRules.Observe(_state, stored.Row(etag), InstanceId, _countThrough);
        if (seen.Verdict == CasVerdict.Newer)
        {
            var state = Copy.Read(stored.Version, stored.State);
            _state = seen.Next;
            _pace = _pace.Saw(stored.Writer, InstanceId, Now);
            Adopt(stored, state, seen);
            _guests.EndThoseIn(_state);
        }

        _state = seen.Next;
        if (seen.Verdict != CasVerdict.Replaced && Queue.Count == 0)
        {
            _state = BatchedCasRules.Rested(_state);
            if (_state.Failures == 0)
            {
                Issues.Resolved();
            }
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
                $"Whether {seen.InDoubt} updates of {Key} took effect can no longer be found out: more than {_options.MaxInstances} other "
                + "instances (option MaxInstances) wrote before it was settled. They will not be written again.");
            ViewLog.NeedsAttention(Logger, Key, lost.Message);
            Queue.RemoveInDoubt(seen.InDoubt, lost);
            Waiters.Fail(lost);
            Issues.Arose(Writing, lost.Message);
        }
    }

    private async Task WriteAsync()
    {
        var guests = _guests.Next(_options.MaxInstances - 1);
        var own = guests.Count == 0
            ? Queue.BatchSize()
            : Queue.BatchSize(HandInRules.OwnShare(Queue.Count, [.. guests.Select(g => g.Head)], _options.MaxBatch));
        if (own == 0 && Queue.Count > 0)
        {
            // A group that is larger than its share goes alone.
            (own, guests) = (Queue.BatchSize(), []);
        }

        var through = Queue.SequenceThrough(own);
        var batch = HandInRules.Compose(
            _state, Self, own, through, [.. guests.Select(g => g.Head)], _options.MaxBatch, _options.MaxInstances);
        if (batch.Version == _state.Version)
        {
            EndGuests(guests, batch, new CasNotification(_state.Version, null, default).Write(HandInAnswer.See));
            return;
        }

        var writer = new PayloadWriter();
        StoredVersion.WriteHeader(writer, batch);
        var headerLength = writer.Written.Length;
        TState? state = default;
        StoreWrite write;
        long operation;
        try
        {
            if (batch.Guests == 0)
            {
                Copy.WriteWith(own, writer);
            }
            else
            {
                state = Copy.WriteWith(
                    own, batch.Taken.SelectMany(take => guests[take.Guest].Updates.Skip(take.Skip).Take(take.Count)), writer);
            }

            operation = Waiters.Begin();
            ConsistencyMetrics.UpdatesPerWrite.Record(own + batch.Guests);
            ConsistencyMetrics.UpdatesWrittenForOthers.Add(batch.Guests);
            _pace = _pace.Wrote();
            var began = Now;
            write = await _row.WriteAsync(writer.Written, _state.ETag, Stopping);
            Stopping.ThrowIfCancellationRequested();
            _pace = write.Outcome == StoreWriteOutcome.Unknown ? _pace : _pace.Took(Now - began);
        }
        catch (Exception e) when (e is GeoSerializationException or GeoStorageException && batch.Guests > 0)
        {
            // Perhaps it is theirs: they find out by writes of their own.
            _guests.EndAll(HandInCodec.WriteRefused());
            return;
        }
        catch (GeoSerializationException e)
        {
            if (!TryQuarantine(own, e))
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
            _state = BatchedCasRules.WriteApplied(_state, etag, batch);
            _pace = _pace.Saw(Self, InstanceId, Now);
            Confirm(batch, writer.Written[headerLength..], state);
            var told = Told(batch.Version, etag, writer.Written);
            Link.Notify(told.Write(), Digest(batch.Version), [.. guests.Select(g => g.Cluster)]);
            EndGuests(guests, batch, told.Write(HandInAnswer.Written));
            Issues.Resolved();
            Waiters.Succeeded(operation, Queue.ResolvedThrough);
            Observer?.ConfirmedChanged();
            return;
        }

        if (write.Outcome == StoreWriteOutcome.Conflict)
        {
            ConsistencyMetrics.Conflicts.Add(1);
            _state = BatchedCasRules.WriteConflicted(_state, through);
            return;
        }

        ConsistencyMetrics.UnknownOutcomes.Add(1);
        _state = BatchedCasRules.WriteUnknown(_state, through);
        await FailedAsync(Writing, write.Reason ?? "no reason given", _state.Failures, _options.RetryBase, _options.RetryMaximum);
    }

    private void Confirm(CasBatch batch, ReadOnlyMemory<byte> bytes, TState? state)
    {
        if (batch.Guests == 0)
        {
            Copy.ConfirmOldest(batch.Own, bytes);
            return;
        }

        Copy.ConfirmOldest(batch.Own, batch.Guests, bytes, state!);
        if (Queue.RefuseConditional() || Queue.Count > 0)
        {
            // Raised while the updates of others were on their way, which have come between.
            Observer?.TentativeChanged();
        }
    }

    /// <summary>Answers the guests that a batch looked at, but for those whose turn is still to come.</summary>
    private void EndGuests(List<CasGuest<TUpdate>> guests, CasBatch batch, ReadOnlyMemory<byte> answer)
    {
        foreach (var take in batch.Taken)
        {
            _guests.End(guests[take.Guest], answer);
        }
    }

    /// <summary>Another instance asks this one to write for it; ends with the answer.</summary>
    private async ValueTask<ReadOnlyMemory<byte>> WriteForAsync(
        ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        if (!HandInRules.Helps(_state, InstanceId) || Stopping.IsCancellationRequested)
        {
            return HandInCodec.WriteNotWriter(_state.Writer);
        }

        CasGuest<TUpdate> guest;
        try
        {
            var (head, updates) = HandInCodec.Read<TUpdate>(payload.Span[1..], Services.Serializer);
            guest = new(from, head, updates, payload.Length);
        }
        catch (Exception e)
        {
            // What another build of the application can read, this one may not; it does without.
            ViewLog.UnreadableNotification(Logger, Key, from, e.Message);
            return HandInCodec.WriteRefused();
        }

        if (!_guests.TryAdd(guest))
        {
            ConsistencyMetrics.RequestsRefused.Add(1);
            return HandInCodec.WriteRefused();
        }

        // Who knows more than is known here must not wait for it in vain.
        _state = BatchedCasRules.Announced(_state, guest.Head.Since);
        Wake();
        using (cancellationToken.UnsafeRegister(static g => ((CasGuest<TUpdate>)g!).Answer.TrySetCanceled(), guest))
        {
            try
            {
                return await guest.Answer.Task;
            }
            finally
            {
                _guests.Leave(guest);
            }
        }
    }

    /// <summary>Hands the oldest updates in to the instance that wrote last, and waits, not for ever, until they are in a version.</summary>
    private async Task HandInAsync()
    {
        var groups = Queue.NumberedGroups(Queue.BatchSize());
        if (HandInCodec.TryWrite(groups, i => Queue[i], InstanceId, _state.Version, _options.MaxHandInBytes, Services.Serializer)
            is not { } handIn)
        {
            _pace = _pace.WritesItself(1);
            return;
        }

        var (through, resolved, known) = (handIn.Head.Last, Queue.ResolvedThrough, _state.Version);
        _state = BatchedCasRules.HandedIn(_state, through);
        ConsistencyMetrics.UpdatesHandedIn.Add(handIn.Head.Count);
        var operation = Waiters.Begin();
        var began = Now;
        var helper = _state.Writer;
        for (var hop = 0; hop < MaxHops && Link.Others.Contains(helper.Cluster); hop++)
        {
            var reply = await AskAsync(helper.Cluster, handIn.Message, through);
            var answer = Read(reply, out helper);
            if (answer == HandInAnswer.Written)
            {
                Waiters.Succeeded(operation, Queue.ResolvedThrough);
            }

            if (Queue.ResolvedThrough > resolved || _state.Version > known || _state.MustRead)
            {
                if (answer is HandInAnswer.Written or HandInAnswer.See)
                {
                    _patience = Longer(_options.HandInWait, 4 * (Now - began));
                }

                _state = BatchedCasRules.Rested(_state);
                return;
            }

            if (answer != HandInAnswer.NotWriter)
            {
                _patience = reply.Outcome == ReplyOutcome.Unknown ? 2 * _patience : _patience;
                break;
            }
        }

        // Nobody wrote them, or nobody knows: the store does.
        _patience = _patience < _options.StorageTimeout ? _patience : _options.StorageTimeout;
        _pace = _pace.WritesItself(OwnWritesAfterFailure);
        _state = BatchedCasRules.HandInFailed(_state);
    }

    private async Task<ClusterReply> AskAsync(ClusterId helper, ReadOnlyMemory<byte> message, long through)
    {
        using var limit = new CancellationTokenSource(_patience, Services.Time);
        using var stop = Stopping.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
        _waiting = new(through, limit);
        try
        {
            return await Link.RequestAsync(helper, message, activate: false, limit.Token);
        }
        catch (OperationCanceledException)
        {
            return ClusterReply.Unknown("no answer in time");
        }
        finally
        {
            _waiting = null;
            Stopping.ThrowIfCancellationRequested();
        }
    }

    /// <summary>Takes the answer to a hand-in; where it names another writer, gives that one.</summary>
    private HandInAnswer Read(ClusterReply reply, out CasWriter writer)
    {
        writer = default;
        if (reply.Outcome != ReplyOutcome.Replied || reply.Payload.IsEmpty)
        {
            return HandInAnswer.Refused;
        }

        try
        {
            var answer = (HandInAnswer)reply.Payload.Span[0];
            switch (answer)
            {
                case HandInAnswer.Written or HandInAnswer.See:
                    var told = CasNotification.Read(reply.Payload[1..]);
                    SeeTold(told with { Value = told.Value.ToArray() });
                    return told.ETag is null ? HandInAnswer.See : answer;
                case HandInAnswer.NotWriter:
                    var reader = new PayloadReader(reply.Payload.Span[1..]);
                    writer = CasMessages.ReadWriter(ref reader);
                    return answer;
                default:
                    return HandInAnswer.Refused;
            }
        }
        catch (GeoSerializationException e)
        {
            ViewLog.UnreadableNotification(Logger, Key, default, e.Message);
            return HandInAnswer.Refused;
        }
    }

    private static TimeSpan Longer(TimeSpan one, TimeSpan other) => one > other ? one : other;

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
        var number = Queue.SequenceThrough(first + 1);
        if (number <= _state.WrittenThrough)
        {
            return false;
        }

        var taken = ends[bad] - first;
        var what = $"{taken} updates of {Key} ({Queue[first]?.GetType()}) make a state that cannot be written: {failure.Message} They were "
            + "taken out; the others go on. ";
        GeoException reason = number > _state.HandedThrough
            ? new GeoSerializationException(what + "They are part of no version.", failure)
            : new GeoOutcomeUnknownException(
                what + "They had been handed in to another cluster before; whether it made them part of a version is not known.", failure);
        ViewLog.NeedsAttention(Logger, Key, reason.Message);
        ConsistencyMetrics.UpdatesQuarantined.Add(taken);
        Waiters.FailFrom(Queue.Quarantine(first, ends[bad], reason, _state.HandedThrough), reason);
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

    private void NotifyOthers(long version, ETag etag, ReadOnlyMemory<byte> value) =>
        Link.Notify(Told(version, etag, value).Write(), Digest(version));

    /// <summary>What is said again later, in case that the notification was lost.</summary>
    private static ReadOnlyMemory<byte> Digest(long version) => new CasNotification(version, null, default).Write();

    private CasNotification Told(long version, ETag etag, ReadOnlyMemory<byte> value) =>
        value.Length <= _options.MaxNotifiedBytes ? new(version, etag, value) : new(version, null, default);

    private void Fault(string what, Exception reason)
    {
        _state = BatchedCasRules.Faulted(_state);
        ViewLog.NeedsAttention(Logger, Key, reason.Message);
        Issues.Arose(what, reason.Message, isPermanent: true);
        _guests.EndAll(HandInCodec.WriteNotWriter(default));
        if (_state.DoubtThrough <= Queue.ResolvedThrough && Queue.RefuseConditional(reason))
        {
            Copy.DropTentative();
            Observer?.TentativeChanged();
        }

        Waiters.Fail(reason);
        if (!_willTryAgain)
        {
            _ = TryAgainAsync();
        }
    }

    /// <summary>What is queued is tried again by itself, though nobody waits for it.</summary>
    private async Task TryAgainAsync()
    {
        _willTryAgain = true;
        try
        {
            await Task.Delay(_options.RefusedRetry, Services.Time, Stopping);
            (_triesAgain, _willTryAgain) = (true, false);
            Wake();
        }
        catch (OperationCanceledException)
        {
            // The view was disposed.
        }
    }
}
