// Longer than most: an instance may lead and follow in turn, and both roles change the same terms and applied table.
using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>
/// The view of a volatile multi-instance grain: the latest version is in the memory of the instance in the leader's cluster (GEO
/// section 3.5, volatile leader-based). The leader's own updates are confirmed at once; a follower sends its queue and
/// learns the latest version with the reply, so that not even its first update waits for a read.
/// </summary>
/// <remarks>
/// An instance that starts to lead asks all others for the version they know and begins a new term from the newest. What only an
/// instance knew that did not answer in time is lost, as volatile state may be; that instance hears of it as an issue when it meets the new
/// term.
/// </remarks>
internal sealed class VersionedLeaderView<TState, TUpdate> : QueuedView<TState, TUpdate>
{
    private readonly LinkedList<Completion<bool>> _waitForLeading = [];
    private readonly VersionedLeaderOptions _options;
    private readonly CurrentLeader _leader;
    private ImmutableArray<LeaderTerm> _terms = [];
    private AppliedTable _applied = AppliedTable.Empty;
    private bool _isLeading;
    private bool _hasNews;
    private bool _isLoaded;
    private int _failures;
    private long _sentThrough;
    private long _inDoubtSince;
    private long _newestTermHeard;

    internal VersionedLeaderView(
        GrainKey key, IViewModel<TState, TUpdate> model, ClusterId leader, IReplicaLink link, ViewServices services,
        IViewObserver? observer)
        : base(
            key, model, link, services, observer, services.VersionedLeader.MaxPending, services.VersionedLeader.MaxBatch,
            services.VersionedLeader.MaxWaiters)
    {
        _options = services.VersionedLeader;
        _leader = new(key, leader, link);
    }

    protected override bool DecidesAlone => _isLeading && Leader == Link.Local;

    protected override long Term => _terms.IsEmpty ? 0 : _terms[^1].Term;

    private ClusterId Leader => _leader.Cluster;

    public override ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(
        ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        switch ((LeaderMessage)new PayloadReader(payload.Span).ReadByte())
        {
            case LeaderMessage.Batch:
                return AnswerAsync(payload[1..], cancellationToken);
            case LeaderMessage.Ask:
                // Whoever asks begins a new term: nothing may be added to the old one after this answer.
                _isLeading = false;
                return new(Snapshot().Written);
            case LeaderMessage.Tell:
                HearLeader(from, payload[1..].ToArray());
                return default;
            default:
                throw new GeoSerializationException(
                    $"A message from {from} for {Key} is of a kind that this version of Geo does not know.");
        }
    }

    public override void LinkUp(ClusterId cluster)
    {
        if (_isLeading)
        {
            _hasNews = true;
            Wake();
        }
    }

    protected override void Decided()
    {
        _hasNews = true;
        Observer?.TentativeChanged();
        Observer?.ConfirmedChanged();
        Wake();
    }

    protected override async ValueTask<bool> StepAsync()
    {
        if (Leader != Link.Local)
        {
            _isLeading = false;
            if (_isLoaded && Queue.Count == 0 && !Waiters.WantsRefresh)
            {
                return false;
            }

            await SendBatchAsync();
            return true;
        }

        if (!_isLeading)
        {
            await BeginToLeadAsync();
            return true;
        }

        if (_hasNews)
        {
            _hasNews = false;
            TellOthers();
        }

        return false;
    }

    private async Task SendBatchAsync()
    {
        var leader = Leader;
        var operation = Waiters.Begin();
        var batch = WriteBatch(out var updates);
        if (updates > 0)
        {
            ConsistencyMetrics.UpdatesPerWrite.Record(updates);
        }

        var reply = await Link.RequestAsync(leader, batch, activate: true, Stopping);
        Stopping.ThrowIfCancellationRequested();
        var failure = reply.Outcome switch
        {
            ReplyOutcome.Replied => TryTake(reply.Payload, operation),
            ReplyOutcome.Refused => reply.Reason ?? "refused",
            _ => reply.Reason ?? "no reply",
        };
        if (failure is null)
        {
            _failures = 0;
            Issues.Resolved();
            return;
        }

        if (reply.Outcome == ReplyOutcome.Unknown)
        {
            ConsistencyMetrics.UnknownOutcomes.Add(1);
        }

        _failures++;
        await FailedAsync($"reaching the leader in {leader}", failure, _failures, _options.RetryBase, _options.RetryMaximum);
    }

    private ReadOnlyMemory<byte> WriteBatch(out int count)
    {
        count = Queue.BatchSizeThroughCondition(out var condition);
        var first = Queue.ResolvedThrough + 1;
        var isSentAgain = count > 0 && _sentThrough >= first;
        var writer = new PayloadWriter();
        new BatchHead(
            InstanceId,
            Term,
            Version,
            isSentAgain ? _inDoubtSince + 1 : 0,
            first,
            count,
            condition?.Count ?? 0,
            condition?.ExpectedTerm ?? 0,
            condition?.ExpectedVersion ?? 0).Write(writer);
        BatchUpdates.Write(writer, Queue, count, Services.Serializer);
        if (count > 0 && !isSentAgain)
        {
            _inDoubtSince = Version;
        }

        _sentThrough = Math.Max(_sentThrough, first + count - 1);
        return writer.Written;
    }

    /// <summary>Takes the leader's answer; gives what is wrong with it, or null.</summary>
    private string? TryTake(ReadOnlyMemory<byte> reply, long operation)
    {
        var answer = reply.IsEmpty ? default : (LeaderAnswer)reply.Span[0];
        if (answer is not (LeaderAnswer.Latest or LeaderAnswer.Unchanged or LeaderAnswer.OutcomeLost))
        {
            return answer == LeaderAnswer.NotLeader
                ? "it does not consider itself the leader; its configuration may be another one"
                : "it answered in a form that this version of Geo does not know";
        }

        if (answer != LeaderAnswer.Unchanged)
        {
            var latest = LeaderSnapshot.Read(reply[1..]);
            if (latest.Term < Term)
            {
                return "it has not heard yet that a newer leader has taken its place";
            }

            if (!See(latest))
            {
                // A refused condition makes no version, and a notification may have come first.
                Settle(latest.Applied);
            }
        }

        if (answer == LeaderAnswer.OutcomeLost)
        {
            GiveUpInDoubt();
        }

        _isLoaded = true;
        Waiters.Succeeded(operation, Queue.ResolvedThrough);
        return null;
    }

    private void HearLeader(ClusterId from, byte[] payload)
    {
        try
        {
            if (See(LeaderSnapshot.Read(payload)))
            {
                if (Queue.Count == 0)
                {
                    // What was waiting for the leader's word has it now.
                    Issues.Resolved();
                }

                return;
            }
        }
        catch (GeoSerializationException e)
        {
            // Nobody waits for an answer to be told so; the leader's next word brings the same.
            ViewLog.UnreadableNotification(Logger, Key, from, e.Message);
        }

        ConsistencyMetrics.NotificationsIgnored.Add(1);
    }

    private void GiveUpInDoubt()
    {
        var count = (int)Math.Clamp(_sentThrough - Queue.ResolvedThrough, 0, Queue.Count);
        var lost = new GeoOutcomeUnknownException(
            $"Whether {count} updates of {Key} took effect can no longer be found out: more than {_options.MaxInstances} other instances "
            + "(option MaxInstances) sent updates before theirs were acknowledged. They will not be sent again.");
        ViewLog.NeedsAttention(Logger, Key, lost.Message);
        Queue.RemoveInDoubt(count, lost);
        Copy.DropTentative();
        Issues.Arose("sending updates to the leader", lost.Message);
        Waiters.Fail(lost);
        Observer?.TentativeChanged();
    }

    /// <summary>Adopts a version that is newer than the one known; false when it is not.</summary>
    private bool See(LeaderSnapshot seen)
    {
        if (!seen.IsNewerThan(Term, Version))
        {
            return false;
        }

        var state = Copy.Read(seen.Version, seen.State);
        var versionsLost = seen.VersionsLost(Term, Version);
        var hadUpdates = Queue.Count > 0;
        Settle(seen.Applied);
        Copy.Adopt(seen.Version, seen.State, state);
        if (seen.Term > Term)
        {
            _isLeading = false;
        }

        (_terms, _applied, _isLoaded) = (seen.Terms, seen.Applied, true);
        if (versionsLost > 0)
        {
            ReportLost(versionsLost);
        }

        if (hadUpdates)
        {
            Observer?.TentativeChanged();
        }

        Observer?.ConfirmedChanged();
        return true;
    }

    private void Settle(AppliedTable applied)
    {
        var (decided, isLastRefused) = VersionedLeaderRules.Decided(applied, InstanceId, Queue.ResolvedThrough, Queue.Count);
        if (decided > 0)
        {
            Queue.Settle(decided, isLastRefused);
            Copy.DropTentative();
            Waiters.Confirmed(Queue.ResolvedThrough);
        }
    }

    private void ReportLost(long versions)
    {
        var reason =
            $"the newest {versions} versions known here were lost with a former leader; going on from version {Version} of term {Term}";
        ViewLog.NeedsAttention(Logger, Key, reason);
        Issues.Arose("keeping the history", reason);
        Issues.Resolved();
    }

    private async ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ReadOnlyMemory<byte> message, CancellationToken cancellationToken)
    {
        var sender = BatchHead.Peek(message.Span);
        if (sender.KnownTerm > Term || (sender.KnownTerm == Term && sender.KnownVersion > Version))
        {
            // The sender knows a leader that this one has not heard of: what that leader did must be found first, and whatever
            // comes of it, the next term must win over that leader's.
            _isLeading = false;
            _newestTermHeard = Math.Max(_newestTermHeard, sender.KnownTerm);
        }

        while (Leader == Link.Local && !_isLeading)
        {
            await LeadingAsync(cancellationToken);
        }

        return Leader == Link.Local ? Answer(message) : new byte[] { (byte)LeaderAnswer.NotLeader };
    }

    /// <summary>Waits until this instance leads, or another does; no longer than the requester waits.</summary>
    private async Task LeadingAsync(CancellationToken cancellationToken)
    {
        using var givenUp = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, Stopping);
        var leading = new Completion<bool>(givenUp.Token);
        var place = _waitForLeading.AddLast(leading);
        try
        {
            Wake();
            await leading.Task;
        }
        finally
        {
            place.List?.Remove(place);
        }
    }

    private ReadOnlyMemory<byte> Answer(ReadOnlyMemory<byte> message)
    {
        var reader = new PayloadReader(message.Span);
        var batch = BatchHead.Read(ref reader);
        if (batch.Count == 0 && batch.KnownTerm == Term && batch.KnownVersion == Version)
        {
            return new byte[] { (byte)LeaderAnswer.Unchanged };
        }

        var decision = VersionedLeaderRules.Decide(batch, _applied, Term, Version);
        if (!decision.IsOutcomeLost && decision.Skip < batch.Count)
        {
            Apply(batch, decision, BatchUpdates.Read<TUpdate>(ref reader, batch.Count, Services.Serializer));
        }

        return Snapshot((byte)(decision.IsOutcomeLost ? LeaderAnswer.OutcomeLost : LeaderAnswer.Latest)).Written;
    }

    private void Apply(BatchHead batch, BatchDecision decision, TUpdate[] updates)
    {
        foreach (var update in updates.AsSpan(decision.Skip, decision.Apply))
        {
            Copy.ApplyConfirmed(update);
        }

        _applied = _applied.With(
            batch.Instance, new BatchNumber(batch.LastSequence, decision.IsRefused).Encoded, Version, _options.MaxInstances);
        if (decision.Apply > 0)
        {
            Decided();
        }
    }

    private async Task BeginToLeadAsync()
    {
        var others = Link.Others;
        var answers = await LeaderRecovery.AskAsync(Link, others, _options.RecoveryWait, Services.Time, Key, Logger, Stopping);
        Stopping.ThrowIfCancellationRequested();
        if (Leader != Link.Local)
        {
            ReleaseWaiting();
            return;
        }

        foreach (var answer in answers)
        {
            See(answer);
        }

        // By the clock, so that a term is new even when nobody who knew the last one answered; never by the clock alone.
        var term = Math.Max(Math.Max(Term, _newestTermHeard) + 1, Services.Time.GetUtcNow().ToUnixTimeMilliseconds());
        _terms = LeaderSnapshot.Begin(_terms, term, Version);
        (_isLeading, _isLoaded, _hasNews) = (true, true, true);
        ViewLog.Leading(Logger, Key, Version, term, answers.Count, others.Count);
        DecideQueue();
        Issues.Resolved();
        Waiters.Succeeded(Waiters.Begin(), Queue.ResolvedThrough);
        ReleaseWaiting();
    }

    /// <summary>Makes what was queued before this instance led part of its first versions.</summary>
    private void DecideQueue()
    {
        while (Queue.Count > 0)
        {
            var count = Queue.BatchSizeThroughCondition(out var condition);
            var unconditional = count - (condition?.Count ?? 0);
            var isRefused = condition is not null
                && (Version + unconditional != condition.ExpectedVersion
                    || (condition.ExpectedTerm != 0 && condition.ExpectedTerm != Term));
            for (var i = 0; i < (isRefused ? unconditional : count); i++)
            {
                Copy.ApplyConfirmed(Queue[i]);
            }

            Queue.Settle(count, isRefused);
        }

        Observer?.TentativeChanged();
        Observer?.ConfirmedChanged();
    }

    private void ReleaseWaiting()
    {
        while (_waitForLeading.First is { } first)
        {
            _waitForLeading.RemoveFirst();
            first.Value.TrySetResult(true);
        }
    }

    private void TellOthers()
    {
        if (Link.Others.Count > 0)
        {
            Link.Notify(Snapshot((byte)LeaderMessage.Tell).Written);
        }
    }

    private PayloadWriter Snapshot(byte kind = 0)
    {
        var writer = new PayloadWriter();
        writer.WriteByte(kind);
        new LeaderSnapshot(_terms, Version, _applied, Copy.Bytes()).Write(writer);
        return writer;
    }
}
