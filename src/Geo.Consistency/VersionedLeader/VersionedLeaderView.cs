// Longer than most: an instance may lead and follow in turn, and both roles share the queue, the memory and the waits.
namespace Geo.Consistency;

/// <summary>
/// The view of a volatile multi-instance grain: its versions are in the memories of the clusters, and the one that leads decides (GEO
/// section 3.5, volatile leader-based). A follower sends its queue and learns the latest version with the reply, so that not even its first
/// update waits for a read.
/// </summary>
/// <remarks>
/// This class queues, sends, applies and shows. Which cluster leads, what is confirmed, and what is remembered when the grain is not active
/// is the memory's part (<see cref="ReplicaMemory"/>), by the rules in <see cref="LeaderElection"/>, <see cref="LeaderFollowing"/>,
/// <see cref="LeaderDeciding"/> and <see cref="BatchRules"/>.
/// </remarks>
internal sealed class VersionedLeaderView<TState, TUpdate> : QueuedView<TState, TUpdate>, IMemoryWatcher
{
    // Of a batch that comes while no term is begun here, or none that its sender can follow.
    private const int MaxTermsForBatch = 3;

    private readonly VersionedLeaderOptions _options;
    private readonly GrainDeclaration _declaration;
    private readonly ReplicaExchange _exchange;
    private readonly LeaderDecisions<TState, TUpdate> _deciding;
    private ReplicaMemory? _memory;
    private ReplicaLog _shown = ReplicaLog.Nothing;
    private bool _isLoaded;
    private int _failures;
    private int _hops;
    private long _unreachableSince;
    private long _sentThrough;
    private long _inDoubtSince;

    internal VersionedLeaderView(
        GrainKey key, IViewModel<TState, TUpdate> model, GrainDeclaration declaration, IReplicaLink link, ViewServices services,
        IViewObserver? observer)
        : base(
            key, model, link, services, observer, services.VersionedLeader.MaxPending, services.VersionedLeader.MaxBatch,
            services.VersionedLeader.MaxWaiters)
    {
        (_options, _declaration) = (services.VersionedLeader, declaration);
        _exchange = (link as ReplicaLink)?.Exchange ?? throw new GeoConfigurationException(
            $"The view of {key} needs the link of an exchange that keeps its versions; make it by "
            + "ReplicaExchange.LinkFor with replicated.");
        _deciding = new(key, new(model, services.Serializer, key, Logger, _options.MaxBytes), _options.MaxInstances, Logger);
    }

    protected override VersionBase ShownBase => _shown.BaseOf(_shown.Version) ?? default;

    public override async ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(
        ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        var (sender, batch) = ReadHead(from, payload, out var updates);
        var memory = await AttachAsync(cancellationToken);
        string? failure = null;
        for (var attempt = 0; attempt < MaxTermsForBatch; attempt++)
        {
            if (memory.TakeSender(from, sender))
            {
                var decided = TryDecide(batch, () => Groups(payload[updates..], batch.Count));
                if (decided is { } answer && await IsConfirmedFor(from, cancellationToken) && memory.Reply(from, sender) is { } reply)
                {
                    return BatchCodec.WriteReply(answer, reply);
                }
            }
            else if (Target(memory.Present()) != Link.Local)
            {
                break;
            }
            else if ((failure = await memory.LeadAsync()) is not null)
            {
                break;
            }
        }

        var highest = memory.Replica.Highest;
        return BatchCodec.WriteNotLeader(highest, failure ?? $"cluster {Link.Local} does not lead");
    }

    public override void LinkUp(ClusterId cluster) => Wake();

    public void MemoryChanged()
    {
        if (Stopping.IsCancellationRequested)
        {
            return;
        }

        try
        {
            Observe();
        }
        catch (GeoSerializationException e)
        {
            // Nobody waits for an answer to be told so; who does wait meets it in the next step.
            ViewLog.UnreadableNotification(Logger, Key, Link.Local, e.Message);
        }

        Wake();
    }

    protected override async ValueTask<bool> StepAsync()
    {
        ReplicaMemory memory;
        try
        {
            memory = await AttachAsync(Stopping);
            Observe();
            if (_isLoaded && Queue.Count == 0 && !Waiters.WantsRefresh)
            {
                return false;
            }

            var replica = memory.Present();
            if (replica.Leadership is not null)
            {
                await LeadAsync(memory);
                return true;
            }

            var target = Target(replica);
            await (target == Link.Local || MayTakeOver(replica, target) ? BeginToLeadAsync(memory) : SendBatchAsync(memory, target));
            return true;
        }
        catch (GeoUnavailableException e)
        {
            // Another silo of this cluster has the memory, or this one may not serve.
            await FailedAsync(
                $"remembering in {Link.Local}", e.Message, ++_failures, _options.RetryBase, _options.RetryMaximum);
            return true;
        }
    }

    private static (BatchSender Sender, UpdateBatch Batch) ReadHead(ClusterId from, ReadOnlyMemory<byte> payload, out int updates)
    {
        var reader = new PayloadReader(payload.Span);
        if ((LeaderMessage)reader.ReadByte() != LeaderMessage.Batch)
        {
            throw new GeoSerializationException($"A message from {from} is of a kind that this version of Geo does not know.");
        }

        var head = BatchCodec.Read(ref reader);
        updates = payload.Length - reader.Rest.Length;
        return head;
    }

    private List<TUpdate[]> Groups(ReadOnlyMemory<byte> updates, int count)
    {
        var reader = new PayloadReader(updates.Span);
        return BatchCodec.ReadGroups<TUpdate>(ref reader, count, Services.Serializer);
    }

    private async ValueTask<ReplicaMemory> AttachAsync(CancellationToken cancellationToken)
    {
        if (_memory is null)
        {
            var memory = await _exchange.AttachAsync(Key, this, _declaration.Confirmation, cancellationToken);
            Stopping.ThrowIfCancellationRequested();
            if (_memory is null)
            {
                _memory = memory;
                Stopping.UnsafeRegister(
                    static view => ((VersionedLeaderView<TState, TUpdate>)view!).Detach(), this);
            }
        }

        return _memory;
    }

    private void Detach() => _exchange.Memories.Detach(_memory!, this);

    /// <summary>The cluster that leads, or is to lead.</summary>
    private ClusterId Target(LeaderReplica replica)
    {
        var configuration = _exchange.Memories.Configuration;
        var owner = replica.Highest.Cluster;
        return !replica.Highest.IsNone && configuration.Includes(owner) ? owner
            : LeaderChoice.Of(Key, _declaration.Leader, configuration.Clusters);
    }

    /// <summary>
    /// True when the leader's cluster has been out of reach for so long that another one is to lead, and this is the next, or has waited
    /// for that, too.
    /// </summary>
    private bool MayTakeOver(LeaderReplica replica, ClusterId leader)
    {
        var configuration = _exchange.Memories.Configuration;
        if (_unreachableSince == 0 || replica.Highest.IsNone || configuration.MayConfirmAlone(_declaration.Confirmation))
        {
            return false;
        }

        var order = LeaderChoice.Order(Key, _declaration.Leader, configuration.Clusters).Where(c => c != leader).ToList();
        var place = order.IndexOf(Link.Local);
        return place >= 0
            && Services.Time.GetElapsedTime(_unreachableSince) >= _options.TakeOverAfter * (1 + (place * 0.5));
    }

    private async Task BeginToLeadAsync(ReplicaMemory memory)
    {
        var failure = await memory.LeadAsync();
        Stopping.ThrowIfCancellationRequested();
        if (failure is null)
        {
            Succeeded();
        }
        else if (++_hops > MaxTermsForBatch || Target(memory.Replica) == Link.Local)
        {
            await FailedAsync("beginning to lead", failure, ++_failures, _options.RetryBase, _options.RetryMaximum);
        }
    }

    /// <summary>Decides what is queued here, and waits until that is confirmed.</summary>
    private async Task LeadAsync(ReplicaMemory memory)
    {
        var count = Queue.BatchSizeThroughCondition(out var condition);
        if (count > 0 && TryDecide(Batch(count, condition, MarkSent(count)), () => Queue.Groups(count)) == BatchAnswer.OutcomeLost)
        {
            GiveUpInDoubt();
        }

        var operation = Waiters.Begin();
        if (await IsConfirmedAsync(memory))
        {
            Observe();
            Succeeded();
            _isLoaded = true;
            Waiters.Succeeded(operation, Queue.ResolvedThrough);
        }
    }

    private async Task<bool> IsConfirmedAsync(ReplicaMemory memory)
    {
        using var limit = new CancellationTokenSource(_options.RetryMaximum, Services.Time);
        using var stop = Stopping.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
        try
        {
            return await memory.RoundAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            Stopping.ThrowIfCancellationRequested();
            await FailedAsync(
                "confirming with a majority of the clusters", "too few of them answer", ++_failures, _options.RetryBase,
                _options.RetryMaximum);
            return false;
        }
    }

    /// <summary>
    /// A follower that is, with the leader, a majority knows by the reply itself that what it holds is confirmed; for others a majority has
    /// to be heard first.
    /// </summary>
    private async Task<bool> IsConfirmedFor(ClusterId follower, CancellationToken cancellationToken) =>
        _memory!.Replica.Leadership is { } leading
        && ((leading.Configuration.Includes(follower) && leading.Configuration.IsPair) || await _memory.RoundAsync(cancellationToken));

    /// <summary>Decides on a batch; null when this instance does not lead any more.</summary>
    private BatchAnswer? TryDecide(UpdateBatch batch, Func<IReadOnlyList<TUpdate[]>> updates)
    {
        var answer = _deciding.TryDecide(_memory!, this, batch, updates);
        Observe();
        return answer;
    }

    private async Task SendBatchAsync(ReplicaMemory memory, ClusterId leader)
    {
        var operation = Waiters.Begin();
        var marks = (_sentThrough, _inDoubtSince);
        var message = WriteBatch(memory.Replica, out var updates);
        if (updates > 0)
        {
            ConsistencyMetrics.UpdatesPerWrite.Record(updates);
        }

        var reply = await Link.RequestAsync(leader, message, activate: true, Stopping);
        Stopping.ThrowIfCancellationRequested();
        var failure = reply.Outcome switch
        {
            ReplyOutcome.Replied => TryTake(memory, leader, reply.Payload, operation),
            ReplyOutcome.Refused => reply.Reason ?? "refused",
            _ => reply.Reason ?? "no reply",
        };
        if (failure is null)
        {
            Succeeded();
            return;
        }

        if (reply.Outcome == ReplyOutcome.Replied)
        {
            // It answers: nobody has to take its place. Another one that it names is tried at once.
            _unreachableSince = 0;
            if (_hops++ < MaxTermsForBatch && Target(memory.Present()) != leader)
            {
                return;
            }
        }
        else
        {
            if (reply.Outcome == ReplyOutcome.Refused)
            {
                // Nothing of it was decided: what was not in doubt before is not now.
                (_sentThrough, _inDoubtSince) = marks;
            }

            _unreachableSince = _unreachableSince == 0 ? Services.Time.GetTimestamp() : _unreachableSince;
            ConsistencyMetrics.UnknownOutcomes.Add(reply.Outcome == ReplyOutcome.Unknown ? 1 : 0);
        }

        await FailedAsync($"reaching the leader in {leader}", failure, ++_failures, _options.RetryBase, _options.RetryMaximum);
    }

    private void Succeeded()
    {
        (_failures, _hops, _unreachableSince) = (0, 0, 0);
        Issues.Resolved();
    }

    private UpdateBatch Batch(int count, UpdateGroup? condition, long inDoubtSince) => new(
        InstanceId, inDoubtSince, Queue.ResolvedThrough + 1, count, condition?.Count ?? 0, condition?.Base ?? default,
        condition?.ExpectedVersion ?? 0);

    private ReadOnlyMemory<byte> WriteBatch(LeaderReplica replica, out int count)
    {
        // What cannot be written is taken out one group after the other, so that it stands in nobody's way.
        var updates = new PayloadWriter();
        UpdateGroup? condition;
        var most = int.MaxValue;
        do
        {
            updates.Reset();
            count = Queue.BatchSizeThroughCondition(out condition);
            (count, condition) = count > most ? (most, null) : (count, condition);
        }
        while (!TryWriteUpdates(updates, count, out most));

        var writer = new PayloadWriter();
        BatchCodec.Write(
            writer,
            new(replica.Incarnation, replica.IsSeated, replica.Highest, replica.Promised, replica.Log.At, replica.Log.Step),
            Batch(count, condition, MarkSent(count)));
        updates.Written.Span.CopyTo(writer.GetSpan(updates.Written.Length));
        writer.Advance(updates.Written.Length);
        return writer.Written;
    }

    /// <summary>
    /// The oldest updates are about to be decided, here or elsewhere. Gives the version that was known when one of them first was, plus
    /// one; 0 where none was before.
    /// </summary>
    private long MarkSent(int count)
    {
        var first = Queue.ResolvedThrough + 1;
        var isAgain = count > 0 && _sentThrough >= first;
        _inDoubtSince = isAgain || count == 0 ? _inDoubtSince : Version;
        _sentThrough = Math.Max(_sentThrough, first + count - 1);
        return isAgain ? _inDoubtSince + 1 : 0;
    }

    /// <summary>Writes so many updates; otherwise none, and so many at most are to be written instead.</summary>
    private bool TryWriteUpdates(PayloadWriter writer, int count, out int most)
    {
        most = int.MaxValue;
        var update = new PayloadWriter();
        var first = 0;
        foreach (var end in Queue.GroupEnds(count))
        {
            writer.WriteUnsigned((ulong)(end - first));
            for (var i = first; i < end; i++)
            {
                try
                {
                    update.Reset();
                    Services.Serializer.Serialize(Queue[i], update);
                    writer.WriteBytes(update.Written.Span);
                }
                catch (Exception e)
                {
                    TakeOut(first, end, e as GeoSerializationException ?? new GeoSerializationException(e.Message, e));
                    return false;
                }
            }

            if (writer.Written.Length > _options.MaxBytes)
            {
                most = first > 0 ? first : most;
                if (first == 0)
                {
                    TakeOut(0, end, new GeoSerializationException(
                        $"they have more than the {_options.MaxBytes} bytes that a message to another cluster carries (option MaxBytes)."));
                }

                return false;
            }

            first = end;
        }

        return true;
    }

    private void TakeOut(int first, int end, GeoSerializationException cause)
    {
        var reason = new GeoSerializationException(
            $"{end - first} updates of {Key} ({Queue[first]?.GetType()}) cannot be written, or make a state that cannot: {cause.Message} "
            + "They were taken out and are part of no version; the others go on.", cause);
        ViewLog.NeedsAttention(Logger, Key, reason.Message);
        ConsistencyMetrics.UpdatesQuarantined.Add(end - first);
        Waiters.FailFrom(Queue.Quarantine(first, end, reason), reason);
        Copy.DropTentative();
        Issues.Arose("sending updates to the leader", reason.Message, isPermanent: true);
        Issues.Resolved();
        Observer?.TentativeChanged();
        Waiters.Confirmed(Queue.ResolvedThrough);
    }

    /// <summary>Takes the leader's answer; gives what is wrong with it, or null.</summary>
    private string? TryTake(ReplicaMemory memory, ClusterId leader, ReadOnlyMemory<byte> payload, long operation)
    {
        var reader = new PayloadReader(payload.Span);
        var kind = payload.IsEmpty ? default : (BatchAnswer)reader.ReadByte();
        if (kind == BatchAnswer.NotLeader)
        {
            memory.Hear(leader, 0, TermCodec.ReadTerm(ref reader));
            return reader.ReadText();
        }

        if (kind is not (BatchAnswer.Latest or BatchAnswer.OutcomeLost))
        {
            return "it answered in a form that this version of Geo does not know";
        }

        var reply = AppendCodec.Read(ref reader);
        var answer = memory.Take(leader, reply);
        Observe();
        if (kind == BatchAnswer.OutcomeLost && answer.Kind == AppendAnswerKind.Adopted)
        {
            GiveUpInDoubt();
        }

        switch (answer.Kind)
        {
            case AppendAnswerKind.Adopted when memory.Replica.Confirmed >= reply.Step:
                _isLoaded = true;
                Waiters.Succeeded(operation, Queue.ResolvedThrough);
                return null;
            case AppendAnswerKind.Adopted:
                return "it has not processed the configuration to which this cluster belongs";
            case AppendAnswerKind.Behind:
                return "it took this replica for newer than it is";
            case AppendAnswerKind.Unseated:
                return "its term has given this replica no seat yet";
            default:
                return "it has not heard yet that a newer leader may have taken its place";
        }
    }

    private void GiveUpInDoubt()
    {
        var count = Queue.CountThrough(_sentThrough);
        var lost = new GeoOutcomeUnknownException(
            $"Whether {count} updates of {Key} took effect can no longer be found out: more than {_options.MaxInstances} other instances "
            + "(option MaxInstances) sent updates before theirs were acknowledged. They will not be sent again.");
        ViewLog.NeedsAttention(Logger, Key, lost.Message);
        Queue.RemoveInDoubt(count, lost);
        Queue.RefuseConditional();
        Copy.DropTentative();
        Issues.Arose("sending updates to the leader", lost.Message);
        Waiters.Fail(lost);
        Observer?.TentativeChanged();
    }

    /// <summary>Shows the newest version that is confirmed, and takes the decisions on what is queued here out of it.</summary>
    private void Observe()
    {
        if (_memory?.Replica.Shown is not { } shown || ReferenceEquals(shown, _shown) || !shown.IsNewerThan(_shown))
        {
            return;
        }

        if (shown.Version < Version)
        {
            // By the rules it cannot be, unless an operator has left out a cluster that knew more.
            Issues.Arose("keeping the history", $"version {Version} was shown here, and the clusters that agree know {shown.Version}");
            return;
        }

        var hadUpdates = Queue.Count > 0;
        var isAnother = shown.Version > Version;
        var state = isAnother ? Copy.Read(shown.Version, shown.State) : default!;
        _shown = shown;
        Settle(shown.Applied);
        if (isAnother)
        {
            Copy.Adopt(shown.Version, shown.State, state);
        }

        Queue.Rebase(ShownBase);
        Waiters.Confirmed(Queue.ResolvedThrough);
        if (hadUpdates)
        {
            Observer?.TentativeChanged();
        }

        if (Queue.Count == 0 && !Waiters.WantsRefresh)
        {
            // What was waiting has come.
            Issues.Resolved();
        }

        if (isAnother)
        {
            Observer?.ConfirmedChanged();
        }
    }

    private void Settle(AppliedTable applied)
    {
        if (!applied.TryGetNumber(InstanceId, out var number))
        {
            return;
        }

        var decided = BatchNumber.Decode(number);
        if (Queue.CountThrough(decided.LastSequence) == 0)
        {
            return;
        }

        var unwritable = Queue.Settle(decided);
        Copy.DropTentative();
        if (unwritable > 0)
        {
            TakeOut(0, unwritable, new GeoSerializationException("the leader could not write it."));
        }
    }
}
