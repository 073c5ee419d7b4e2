// Longer than most: the steps of one instance, which share its queue, its memory and what it has under way, read together.
namespace Geo.Consistency;

/// <summary>
/// The view of a volatile multi-instance grain: its versions are in the memories of the clusters, and the one that leads decides (GEO
/// section 3.5, volatile leader-based). A follower sends its queue and learns the latest version with the reply, so that not even its first
/// update waits for a read.
/// </summary>
/// <remarks>
/// This class takes the steps: it leads, follows and answers. Where to send is <see cref="LeaderSearch"/>'s part, what to send
/// <see cref="BatchWriter{TUpdate}"/>'s, how to decide <see cref="LeaderDecisions{TState, TUpdate}"/>'s, what to show
/// <see cref="ShownHistory{TState, TUpdate}"/>'s. Which cluster leads, what is confirmed, and what is remembered when the grain is not
/// active is the memory's (<see cref="ReplicaMemory"/>), by the rules in <see cref="LeaderElection"/>, <see cref="LeaderFollowing"/>,
/// <see cref="LeaderDeciding"/> and <see cref="BatchRules"/>.
/// </remarks>
internal sealed class VersionedLeaderView<TState, TUpdate> : QueuedView<TState, TUpdate>, IMemoryWatcher
{
    // Of a batch that comes while no term is begun here, or none that its sender can follow.
    private const int MaxTermsForBatch = 3;

    private readonly GrainDeclaration _declaration;
    private ShownHistory<TState, TUpdate> _history;
    private LeaderWork<TState, TUpdate>? _work;
    private ReplicaMemory? _memory;

    internal VersionedLeaderView(
        GrainKey key, IViewModel<TState, TUpdate> model, GrainDeclaration declaration, IReplicaLink link, ViewServices services,
        IViewObserver? observer)
        : base(
            key, model, link, services, observer, services.VersionedLeader.MaxPending, services.VersionedLeader.MaxBatch,
            services.VersionedLeader.MaxWaiters)
    {
        _declaration = declaration;
        _ = link as ReplicaLink ?? throw new GeoConfigurationException(
            $"The view of {key} needs the link of an exchange that keeps versions; make it by ReplicaExchange.LinkFor with replicated.");
        Exchange.EnsureCarriesMemories();
    }

    protected override VersionBase ShownBase => _history.Base;

    private ReplicaExchange Exchange => ((ReplicaLink)Link).Exchange;

    private VersionedLeaderOptions Options => Services.VersionedLeader;

    private LeaderWork<TState, TUpdate> Work => _work ??= Spare<LeaderWork<TState, TUpdate>>.Take();

    public override async ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(
        ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        var (sender, batch) = BatchCodec.ReadHead(from, payload, out var updates);
        var memory = await AttachAsync(cancellationToken);
        var isUndecided = true;
        string? failure = null;
        for (var attempt = 0; attempt < MaxTermsForBatch; attempt++)
        {
            if (memory.TakeSender(from, sender))
            {
                var decided = TryDecide(batch, () => Groups(payload[updates..], batch.Count));
                isUndecided &= decided is null;
                if (decided is { } answer && await IsConfirmedFor(from, cancellationToken) && memory.Reply(from, sender) is { } reply)
                {
                    return BatchCodec.WriteReply(answer, reply);
                }
            }
            else if (Target(memory.Present()) != Link.Local)
            {
                break;
            }
            else if ((failure = await memory.LeadAsync(sender.IsSeated ? default : from)) is not null)
            {
                break;
            }
        }

        return BatchCodec.WriteNotLeader(memory.Replica.Highest, isUndecided, failure ?? $"cluster {Link.Local} does not lead");
    }

    public override void LinkUp(ClusterId cluster) => Wake();

    public override SessionMark? Mark(ulong grain) =>
        Version > 0 && _history.Shown.BaseOf(Version) is { } shown ? SessionMark.Led(grain, shown) : null;

    public override async ValueTask DisposeAsync()
    {
        var isFirst = !IsStopped;
        await base.DisposeAsync();
        if (isFirst && _memory is { } memory)
        {
            Exchange.Memories.Detach(memory, this);
        }
    }

    public void MemoryChanged()
    {
        if (IsStopped)
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

    protected override MarkState StateOf(SessionMark mark) =>
        mark.Kind == SessionMarkKind.Led ? TermMarks.StateOf(_history.Shown, mark) : MarkState.Behind;

    protected override (long Number, UpdateGaps? Gaps)? DecidedOf(uint instance, out bool mayBeForgotten)
    {
        var applied = _history.Shown.Applied;
        mayBeForgotten = applied.ForgottenThrough > 0;
        return applied.NumberOf(i => SessionMark.InstanceOf(i) == instance) is var (number, gaps)
            ? (BatchNumber.Decode(number).LastSequence, gaps) : null;
    }

    protected override async ValueTask<bool> StepAsync()
    {
        try
        {
            var memory = await AttachAsync(Stopping);
            Observe();
            if (Waiters.HaveSucceeded && Queue.Count == 0 && !Waiters.WantsRefresh)
            {
                LeaderWork<TState, TUpdate>.LetGo(ref _work);
                return false;
            }

            var replica = memory.Present();
            if (replica.Leadership is not null)
            {
                await LeadAsync(memory);
                return true;
            }

            var target = Target(replica);
            if (target == Link.Local || Work.Search.MayTakeOver(Key, _declaration, Exchange.Memories, replica, target))
            {
                await BeginToLeadAsync(memory);
            }
            else if (Work.Load > 0 && Queue.Count == 0 && !Waiters.WantsRefreshAfter(Work.Load))
            {
                // Its end, or somebody who wants more, wakes this view.
                return false;
            }
            else if (Queue.Count == 0 && !Waiters.HaveSucceeded && !Work.HasLoaded)
            {
                _ = LoadAsync(memory, target);
            }
            else
            {
                await SendBatchAsync(memory, target);
            }

            return true;
        }
        catch (GeoUnavailableException e)
        {
            // Another silo of this cluster has the memory, or this one may not serve.
            await FailedAsync($"remembering in {Link.Local}", e.Message);
            return true;
        }
    }

    /// <summary>The cluster that leads, or is to lead.</summary>
    private ClusterId Target(LeaderReplica replica) =>
        LeaderSearch.Target(Key, _declaration.Leader, Exchange.Memories.Configuration, replica);

    private List<TUpdate[]> Groups(ReadOnlyMemory<byte> updates, int count)
    {
        var reader = new PayloadReader(updates.Span);
        return BatchCodec.ReadGroups<TUpdate>(ref reader, count, Services.Serializer);
    }

    private ValueTask<ReplicaMemory> AttachAsync(CancellationToken cancellationToken) =>
        _memory is { } memory && memory.IsShownBy(this) ? new(memory) : AttachAnewAsync(cancellationToken);

    private async ValueTask<ReplicaMemory> AttachAnewAsync(CancellationToken cancellationToken)
    {
        BeginWork();
        try
        {
            using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, Stopping);
            var memory = await Exchange.AttachAsync(Key, this, _declaration.Confirmation, _declaration.Leader, either.Token);
            if (memory is null)
            {
                // The host has given this one up, and it has not been told yet.
                await DisposeAsync();
            }
            else if (IsStopped)
            {
                Exchange.Memories.Detach(memory, this);
            }

            ThrowIfStopped();
            return _memory = memory!;
        }
        finally
        {
            EndWork();
        }
    }

    private void Observe()
    {
        if (_memory?.Replica.Shown is { } shown)
        {
            var nothing = default(LeaderDecisions<TState, TUpdate>);
            _history.Observe(this, shown, _work?.Sent ?? default, ref _work is null ? ref nothing : ref _work.Deciding);
        }
    }

    private async Task BeginToLeadAsync(ReplicaMemory memory)
    {
        var failure = await memory.LeadAsync();
        ThrowIfStopped();
        if (failure is null)
        {
            Succeeded();
        }
        else if (++Work.Hops > MaxTermsForBatch || Target(memory.Replica) == Link.Local)
        {
            await FailedAsync("beginning to lead", failure);
        }
    }

    /// <summary>Decides what is queued here, and waits until that is confirmed.</summary>
    private async Task LeadAsync(ReplicaMemory memory)
    {
        var count = Queue.BatchSizeThroughCondition(out var condition);
        if (count > 0)
        {
            var before = Work.Sent;
            MarkSent(count);
            var since = before.AreInDoubt(Queue.ResolvedThrough + 1) ? before.Since : memory.Replica.Log.Step;
            if (TryDecide(Batch(count, condition, since), () => Queue.Groups(count)) == BatchAnswer.Forgotten)
            {
                // The others were never sent: they are decided next.
                Work.Sent = before;
                ShownHistory<TState, TUpdate>.GiveUp(this, before.Through);
            }
        }

        var operation = Waiters.Begin(Services.Time);
        if (await IsConfirmedAsync(memory))
        {
            Observe();
            Succeeded();
            Waiters.Succeeded(operation, Queue.ResolvedThrough);
        }
    }

    private async Task<bool> IsConfirmedAsync(ReplicaMemory memory)
    {
        using var limit = new CancellationTokenSource(Options.RetryMaximum, Services.Time);
        using var stop = Stopping.UnsafeRegister(static s => ((CancellationTokenSource)s!).Cancel(), limit);
        try
        {
            return await memory.RoundAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            ThrowIfStopped();
            await FailedAsync("confirming with a majority of the clusters", "too few of them answer");
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
        var answer = Work.Deciding.TryDecide(this, _memory!, this, batch, updates);
        Observe();
        return answer;
    }

    /// <summary>
    /// Asks for the first version, on which nothing that is raised meanwhile waits: that is sent beside it, and not a round trip later.
    /// </summary>
    private async Task LoadAsync(ReplicaMemory memory, ClusterId leader)
    {
        BeginWork();
        var operation = Waiters.Begin(Services.Time);
        Work.BeginToLoad(operation);
        try
        {
            var reply = await Link.RequestAsync(Key, leader, WriteBatch(memory.Replica), activate: true, Stopping);
            if (!IsStopped && reply.Outcome == ReplyOutcome.Replied
                && TryTake(memory, leader, reply.Payload, before: null, operation) is null)
            {
                Succeeded();
            }
        }
        catch (Exception e)
        {
            // The next step asks again, and meets what is wrong.
            if (!IsStopped)
            {
                ViewLog.Unreachable(Logger, Key, "loading the first version", 1, e.Message);
            }
        }
        finally
        {
            Work.EndLoad();
            EndWork();
            Wake();
        }
    }

    private async Task SendBatchAsync(ReplicaMemory memory, ClusterId leader)
    {
        var operation = Waiters.Begin(Services.Time);
        var before = Work.Sent;
        var reply = await Link.RequestAsync(Key, leader, WriteBatch(memory.Replica), activate: true, Stopping);
        ThrowIfStopped();
        var failure = reply.Outcome == ReplyOutcome.Replied ? TryTake(memory, leader, reply.Payload, before, operation)
            : reply.Reason ?? (reply.Outcome == ReplyOutcome.Refused ? "refused" : "no reply");
        if (failure is null)
        {
            Succeeded();
            return;
        }

        if (reply.Outcome == ReplyOutcome.Replied)
        {
            // It answers: nobody has to take its place. Another one that it names is tried at once.
            Work.Search.Reached();
            if (Work.Hops++ < MaxTermsForBatch && Target(memory.Present()) != leader)
            {
                return;
            }
        }
        else
        {
            // Of what was refused nothing was decided: what was not in doubt before is not now.
            Work.Sent = reply.Outcome == ReplyOutcome.Refused ? before : Work.Sent;
            Work.Search.Missed(Services.Time);
            ConsistencyMetrics.UnknownOutcomes.Add(reply.Outcome == ReplyOutcome.Unknown ? 1 : 0);
        }

        await FailedAsync($"reaching the leader in {leader}", failure);
    }

    private void Succeeded()
    {
        _work?.Succeeded();
        ResolveIssue();
    }

    private Task FailedAsync(string what, string reason) =>
        FailedAsync(what, reason, ++Work.Failures, Options.RetryBase, Options.RetryMaximum);

    private UpdateBatch Batch(int count, UpdateGroup? condition, long since) => new(
        InstanceId, since, Queue.ResolvedThrough + 1, count, condition?.Count ?? 0, condition?.Base ?? default,
        condition?.ExpectedVersion ?? 0, Gaps);

    private ReadOnlyMemory<byte> WriteBatch(LeaderReplica replica)
    {
        var updates = new PayloadWriter();
        var (count, condition) = BatchWriter<TUpdate>.Write(
            Queue, Services.Serializer, Options.MaxBytes, updates,
            (first, end, cause) => ShownHistory<TState, TUpdate>.TakeOut(this, first, end, cause, Work.Sent));
        if (count > 0)
        {
            ConsistencyMetrics.UpdatesPerWrite.Record(count);
        }

        MarkSent(count);
        var writer = new PayloadWriter();
        BatchCodec.Write(
            writer,
            new(replica.Incarnation, replica.IsSeated, replica.Highest, replica.Promised, replica.Log.At, replica.Log.Step),
            Batch(count, condition, Work.Sent.Since));
        updates.Written.Span.CopyTo(writer.GetSpan(updates.Written.Length));
        writer.Advance(updates.Written.Length);
        return writer.Written;
    }

    private void MarkSent(int count) => Work.Sent = Work.Sent.With(Queue.ResolvedThrough + 1, count, _history.Step);

    /// <summary>Takes the leader's answer; gives what is wrong with it, or null.</summary>
    /// <param name="memory">The memory.</param>
    /// <param name="leader">Who answers.</param>
    /// <param name="payload">What.</param>
    /// <param name="before">What had been sent before the batch that is answered; null where it had no updates.</param>
    /// <param name="operation">The operation that the batch began.</param>
    private string? TryTake(
        ReplicaMemory memory, ClusterId leader, ReadOnlyMemory<byte> payload, SentUpdates? before, long operation)
    {
        BatchReply reply;
        try
        {
            reply = BatchCodec.ReadReply(payload.Span);
        }
        catch (GeoSerializationException e)
        {
            return e.Message;
        }

        Work.Sent = reply.IsUndecided ? before ?? Work.Sent : Work.Sent;
        if (reply.Latest is not { } latest)
        {
            memory.Hear(leader, 0, reply.Highest);
            return reply.Reason;
        }

        var answer = memory.Take(leader, latest);
        Observe();
        if (reply.Answer == BatchAnswer.Forgotten && answer.Kind == AppendAnswerKind.Adopted && before is { } sent)
        {
            if (sent.AreInDoubt(Queue.ResolvedThrough + 1))
            {
                ShownHistory<TState, TUpdate>.GiveUp(this, sent.Through);
            }
            else if (_history.Step < latest.Step)
            {
                return "it has decided for more instances than it remembers, and what it knows is not shown here yet";
            }
        }

        switch (answer.Kind)
        {
            case AppendAnswerKind.Adopted when memory.Replica.Confirmed >= latest.Step:
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
}
