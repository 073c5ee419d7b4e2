// Longer than most: an instance writes for itself, asks another to write for it, and writes for others, with one queue and one row.
namespace Geo.Consistency;

/// <summary>
/// The view of a persistent grain: the latest version is in a conditional store (GEO section 3.4, batching compare-and-swap).
/// At most one storage operation is in flight; one conditional write carries everything queued. What an outcome means is decided
/// by <see cref="BatchedCasRules"/>, who writes for whom by <see cref="HandInRules"/>; this class carries it out.
/// </summary>
internal sealed class BatchedCasView<TState, TUpdate> : StoredView<TState, TUpdate>
{
    // Own operations after one asked in vain, before it is asked again: some reads and compare-and-swaps.
    private const int OwnAfterFailure = 6;

    // Who was asked may name another one, and that one another.
    private const int MaxHops = 2;

    // Null until they are needed, and while nobody hands in.
    private CasGuests<TUpdate>? _guests;
    private HandInAsker? _asker;

    internal BatchedCasView(
        GrainKey key,
        IViewModel<TState, TUpdate> model,
        IConditionalStore store,
        IReplicaLink link,
        ViewServices services,
        IViewObserver? observer)
        : base(key, model, store, link, services, observer)
    {
    }

    private HandInAsker Asker => _asker ??= new(Link, Key, Options, Services.Time, Logger);

    private bool IsAsking => _asker is { IsWaiting: true };

    private long AskedThrough => _asker?.Through ?? 0;

    private long AskedOperation => _asker?.Operation ?? 0;

    private bool MayAsk => Options.MaxHandInBytes > 0 && Link.Others.Contains(State.Writer.Cluster);

    public override ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(
        ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        try
        {
            switch (payload.IsEmpty ? default : (CasMessage)payload.Span[0])
            {
                case CasMessage.HandIn:
                    return WriteForAsync(from, payload, cancellationToken);
                case CasMessage.Refresh:
                    return RefreshForAsync(payload, cancellationToken);
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

    public override ValueTask DisposeAsync()
    {
        _guests?.EndAll(HandInCodec.WriteNotWriter(default));
        return base.DisposeAsync();
    }

    public override SessionMark? Mark(ulong grain) => Version > 0 ? SessionMark.Stored(grain, Version) : null;

    protected override MarkState StateOf(SessionMark mark) =>
        mark.Kind == SessionMarkKind.Stored && mark.Version <= Version ? MarkState.Contained : MarkState.Behind;

    protected override (long Number, UpdateGaps? Gaps)? DecidedOf(uint instance, out bool mayBeForgotten)
    {
        mayBeForgotten = State.Applied.ForgottenThrough > 0;
        return State.Applied.NumberOf(i => SessionMark.InstanceOf(i) == instance);
    }

    protected override async ValueTask<bool> StepAsync()
    {
        SeeNotification();
        _asker?.Look(Queue.ResolvedThrough);
        SeeReplies();
        switch (BatchedCasRules.Next(
            State, Queue.Count > 0 || _guests is { Any: true }, Waiters.WantsRefresh, Waiters.Any || (TriesAgain && Queue.Count > 0)))
        {
            case CasStep.Read when MayAsk && !State.MustRead
                && (AskedOperation > 0 || HandInRules.AsksForVersion(State, Link.Local, Pace, Now)):
                return TryAskForVersion();
            case CasStep.Read:
                await ReadAsync();
                return true;
            case CasStep.Write when AskedThrough > 0 && Queue.Count > 0:
                return TryHandIn();
            case CasStep.Write when MayAsk && HandInRules.Asks(State, Link.Local, Pace, Now, Options.HandInAfter):
                // Who asks another one to write for it writes for nobody.
                _guests?.EndAll(HandInCodec.WriteNotWriter(State.Writer));
                return Queue.Count == 0 || TryHandIn();
            case CasStep.Write:
                await WriteAsync();
                return true;
            default:
                return false;
        }
    }

    protected override void Adopted() => _guests?.EndThoseIn(State);

    protected override void Faulted() => _guests?.EndAll(HandInCodec.WriteNotWriter(default));

    private async Task WriteAsync()
    {
        var guests = _guests?.Next(Options.MaxInstances - 1) ?? [];
        var own = guests.Count == 0
            ? Queue.BatchSize()
            : Queue.BatchSize(HandInRules.OwnShare(Queue.Count, [.. guests.Select(g => g.Head)], Options.MaxBatch));
        if (own == 0 && Queue.Count > 0)
        {
            // A group that is larger than its share goes alone.
            (own, guests) = (Queue.BatchSize(), []);
        }

        var through = Queue.SequenceThrough(own);
        var batch = HandInRules.Compose(
            State, Self, own, through, [.. guests.Select(g => g.Head)], Options.MaxBatch, Options.MaxInstances, Gaps);
        if (batch.Version == State.Version)
        {
            EndGuests(guests, batch, new CasNotification(State.Version, null, default).Write(HandInAnswer.See));
            return;
        }

        var writer = new PayloadWriter();
        StoredVersion.WriteHeader(writer, batch.Version, batch.Writer, batch.Applied);
        var headerLength = writer.Written.Length;
        TState? state = default;
        StoreWrite write;
        long operation;
        try
        {
            if (batch.Guests == 0)
            {
                Copy.WriteWith(this, own, writer);
            }
            else
            {
                state = Copy.WriteWith(
                    this, own, batch.Taken.SelectMany(take => guests[take.Guest].Updates.Skip(take.Skip).Take(take.Count)), writer);
            }

            operation = Waiters.Begin(Services.Time);
            ConsistencyMetrics.UpdatesPerWrite.Record(own + batch.Guests);
            ConsistencyMetrics.UpdatesWrittenForOthers.Add(batch.Guests);
            Pace = Pace.Begins();
            var began = Now;
            write = await Row.WriteAsync(writer.Written, State.ETag, Stopping);
            Stopping.ThrowIfCancellationRequested();
            Pace = write.Outcome == StoreWriteOutcome.Unknown ? Pace : Pace.Took(Now - began);
        }
        catch (Exception e) when (e is GeoSerializationException or GeoStorageException && batch.Guests > 0)
        {
            // Perhaps it is theirs: they find out by writes of their own.
            _guests?.EndAll(HandInCodec.WriteRefused());
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
            if (e.MaxValueBytes is not { } most || !TryQuarantine(own, new(e.Message, e), most - headerLength))
            {
                Fault(Writing, e);
            }

            return;
        }

        if (write.Outcome == StoreWriteOutcome.Applied && write.ETag is { } etag)
        {
            State = BatchedCasRules.WriteApplied(State, etag, batch);
            Pace = Pace.Saw(Self, InstanceId, Now);
            Confirm(batch, writer.Written[headerLength..], state);
            var told = Told(batch.Version, etag, writer.Written);
            Link.Notify(Key, told.Write(), Digest(batch.Version), [.. guests.Select(g => g.Cluster)]);
            EndGuests(guests, batch, told.Write(HandInAnswer.Written));
            ResolveIssue();
            Waiters.Succeeded(operation, Queue.ResolvedThrough);
            Observer?.ConfirmedChanged();
            return;
        }

        if (write.Outcome == StoreWriteOutcome.Conflict)
        {
            ConsistencyMetrics.Conflicts.Add(1);
            State = BatchedCasRules.WriteConflicted(State, through);
            return;
        }

        ConsistencyMetrics.UnknownOutcomes.Add(1);
        State = BatchedCasRules.WriteUnknown(State, through);
        await FailedAsync(Writing, write.Reason ?? "no reason given", State.Failures, Options.RetryBase, Options.RetryMaximum);
    }

    private void Confirm(CasBatch batch, ReadOnlyMemory<byte> bytes, TState? state)
    {
        if (batch.Guests == 0)
        {
            Copy.ConfirmOldest(this, batch.Own, bytes);
            return;
        }

        Copy.ConfirmOldest(this, batch.Own, batch.Guests, bytes, state!);
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
            _guests?.End(guests[take.Guest], answer);
        }
    }

    /// <summary>Another instance asks this one to write for it; ends with the answer.</summary>
    private ValueTask<ReadOnlyMemory<byte>> WriteForAsync(
        ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        if (!HandInRules.Helps(State, InstanceId) || IsStopped)
        {
            return new(HandInCodec.WriteNotWriter(State.Writer));
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
            return new(HandInCodec.WriteRefused());
        }

        _guests ??= new(Options.MaxPending, Options.MaxGuestBytes);
        if (_guests.Add(guest) is not { } added)
        {
            ConsistencyMetrics.RequestsRefused.Add(1);
            return new(HandInCodec.WriteRefused());
        }

        // Who knows more than is known here must not wait for it in vain.
        State = BatchedCasRules.Announced(State, guest.Head.Since);
        Wake();
        return _guests.WaitAsync(added, cancellationToken);
    }

    /// <summary>
    /// Hands the oldest updates in to the instance that wrote last, unless they are on their way. False when nothing but to wait is left.
    /// </summary>
    private bool TryHandIn()
    {
        var groups = Queue.NumberedGroups(Queue.BatchSize());
        groups.RemoveRange(HandInRules.Offered(groups), groups.Count - HandInRules.Offered(groups));
        var isNews = groups[^1].Last > AskedThrough || Waiters.WantsRefreshAfter(AskedOperation);
        if (IsAsking && !(isNews && Asker.HasRoom))
        {
            return false;
        }

        if (HandInCodec.TryWrite(
            groups, i => Queue[i], InstanceId, State.Version, Gaps, Options.MaxHandInBytes, Services.Serializer)
            is not { } handIn)
        {
            Pace = IsAsking ? Pace : Pace.HelpsItself(1);
            return !IsAsking;
        }

        if (handIn.Head.Last <= AskedThrough && !Waiters.WantsRefreshAfter(AskedOperation))
        {
            return false;
        }

        State = BatchedCasRules.HandedIn(State, handIn.Head.Last);
        ConsistencyMetrics.UpdatesHandedIn.Add(handIn.Head.Count);
        _ = AskAsync(handIn.Message, handIn.Head.Last);
        return true;
    }

    /// <summary>Asks the instance that wrote last for the latest version. False when nothing but to wait is left.</summary>
    private bool TryAskForVersion()
    {
        if (IsAsking && !(Asker.HasRoom && Waiters.WantsRefreshAfter(AskedOperation)))
        {
            return false;
        }

        var message = new PayloadWriter();
        message.WriteByte((byte)CasMessage.Refresh);
        message.WriteUnsigned((ulong)State.Version);
        _ = AskAsync(message.Written, through: 0);
        return true;
    }

    /// <summary>Asks the instance that wrote last; the answer is taken between two steps, as a notification is.</summary>
    private async Task AskAsync(ReadOnlyMemory<byte> message, long through)
    {
        var asked = new HandInQuestion(Waiters.Begin(Services.Time), Now, Queue.ResolvedThrough, State.Version);
        var helper = Asker.Hint.IsNone ? State.Writer : Asker.Hint;
        Asker.Hint = default;
        BeginWork();
        try
        {
            var reply = await Asker.AskAsync(helper.Cluster, message, through, asked.Operation, Pace.Operation, Stopping);
            Asker.Replies.Add((asked, reply));
            Wake();
        }
        catch (OperationCanceledException) when (IsStopped)
        {
            // The view was disposed.
        }
        finally
        {
            EndWork();
        }
    }

    private void SeeReplies()
    {
        while (_asker is { Replies: { Count: > 0 } replies })
        {
            var (asked, reply) = replies[0];
            replies.RemoveAt(0);
            if (reply.Told is { } told)
            {
                Pace = Pace.Helped(Now - asked.Began);
                SeeTold(told);
                if (reply.Answer == HandInAnswer.Written && State.Version >= told.Version)
                {
                    // Written or read after it was asked for.
                    Waiters.Succeeded(asked.Operation, Queue.ResolvedThrough);
                    if (Queue.Count == 0)
                    {
                        ResolveIssue();
                    }
                }
            }

            Judge(
                reply,
                reply.Answer == HandInAnswer.Written || Queue.ResolvedThrough > asked.ResolvedThrough || State.Version > asked.Version
                    || State.MustRead);
        }
    }

    private void Judge(HandInReply reply, bool isOfUse)
    {
        if (isOfUse)
        {
            Asker.Hops = 0;
            State = BatchedCasRules.Rested(State);
        }
        else if (reply.Answer == HandInAnswer.NotWriter && Link.Others.Contains(reply.Writer.Cluster) && Asker.Hops++ < MaxHops)
        {
            Asker.Hint = reply.Writer;
        }
        else if (!IsAsking)
        {
            // Nobody wrote them, or nobody knows: the store does.
            Asker.Hops = 0;
            Pace = Pace.HelpsItself(OwnAfterFailure);
            State = BatchedCasRules.HandInFailed(State);
        }
    }

    /// <summary>Another instance asks this one for the latest version.</summary>
    private async ValueTask<ReadOnlyMemory<byte>> RefreshForAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        if (!HandInRules.Helps(State, InstanceId) || IsStopped)
        {
            return HandInCodec.WriteNotWriter(State.Writer);
        }

        var reader = new PayloadReader(payload.Span[1..]);
        var known = CasMessages.ReadNumber(ref reader);
        State = BatchedCasRules.Announced(State, known);
        try
        {
            await LatestAsync(cancellationToken);
        }
        catch (Exception e) when (e is GeoException or ObjectDisposedException)
        {
            return HandInCodec.WriteRefused();
        }

        if (State.ETag is not { } etag || State.Version <= known)
        {
            return new CasNotification(State.Version, null, default).Write(HandInAnswer.Written);
        }

        var value = new PayloadWriter();
        StoredVersion.WriteHeader(value, State.Version, State.Writer, State.Applied);
        var state = Copy.Bytes(this);
        state.Span.CopyTo(value.GetSpan(state.Length));
        value.Advance(state.Length);
        return Told(State.Version, etag, value.Written).Write(HandInAnswer.Written);
    }

    /// <summary>
    /// Takes the updates out of the queue whose state cannot be written, so that the others go on. False when it is not the updates: then
    /// the last version itself cannot be written, or an attempt that carried them may have been applied.
    /// </summary>
    /// <param name="count">How many of the oldest updates make it.</param>
    /// <param name="failure">Why it cannot be written.</param>
    /// <param name="maxBytes">How many bytes of a state the store takes.</param>
    private bool TryQuarantine(int count, GeoSerializationException failure, int maxBytes = int.MaxValue)
    {
        if (UnwritableUpdates.Find(this, count, maxBytes) is not { } places)
        {
            return false;
        }

        var (first, end) = places;
        var number = Queue.SequenceThrough(first + 1);
        if (number <= State.WrittenThrough)
        {
            return false;
        }

        var taken = end - first;
        var what = $"{taken} updates of {Key} ({Queue[first]?.GetType()}) make a state that cannot be written: {failure.Message} They were "
            + "taken out; the others go on. ";
        GeoException reason = number > State.HandedThrough
            ? new GeoSerializationException(what + "They are part of no version.", failure)
            : new GeoOutcomeUnknownException(
                what + "They had been handed in to another cluster before; whether it made them part of a version is not known.", failure);
        ViewLog.NeedsAttention(Logger, Key, reason.Message);
        ConsistencyMetrics.UpdatesQuarantined.Add(taken);
        Waiters.Removed(Queue.Quarantine(first, end, reason, State.HandedThrough), reason);
        Copy.DropTentative();
        Issues.Arose(Writing, reason.Message, isPermanent: true);
        Issues.Resolved();
        Observer?.TentativeChanged();
        Waiters.Confirmed(Queue.ResolvedThrough);
        return true;
    }
}
