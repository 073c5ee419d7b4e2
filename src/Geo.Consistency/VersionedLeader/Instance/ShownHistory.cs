using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>
/// The newest confirmed version that an instance shows, and the decisions on its queue that come with it: what is part of the version, was
/// refused, cannot be written, or has an outcome that nobody can find out any more.
/// </summary>
internal sealed class ShownHistory<TState, TUpdate>(
    GrainKey key, long instance, int maxInstances, UpdateQueue<TUpdate> queue, LocalCopy<TState, TUpdate> copy, ViewWaiters waiters,
    IssueRecord issues, IViewObserver? observer, ILogger logger)
{
    private ReplicaLog _shown = ReplicaLog.Nothing;

    /// <summary>The log shown, all of which is confirmed.</summary>
    internal ReplicaLog Shown => _shown;

    /// <summary>The version shown, in its history.</summary>
    internal VersionBase Base => _shown.BaseOf(_shown.Version) ?? default;

    /// <summary>The newest step known to be confirmed.</summary>
    internal long Step => _shown.Step;

    /// <summary>Shows the newest version that is confirmed, and takes the decisions on what is queued out of it.</summary>
    /// <param name="shown">The log up to that version.</param>
    /// <param name="sent">What of the queue may have been decided.</param>
    /// <exception cref="GeoSerializationException">Its state cannot be read.</exception>
    internal void Observe(ReplicaLog shown, SentUpdates sent)
    {
        if (ReferenceEquals(shown, _shown) || !shown.IsNewerThan(_shown))
        {
            return;
        }

        if (shown.Version < copy.Version)
        {
            // By the rules it cannot be, unless an operator has left out a cluster that knew more.
            issues.Arose(
                "keeping the history", $"version {copy.Version} was shown here, and the clusters that agree know {shown.Version}");
            return;
        }

        var hadUpdates = queue.Count > 0;
        var isAnother = shown.Version > copy.Version;
        var state = isAnother ? copy.Read(shown.Version, shown.State) : default!;
        _shown = shown;
        Settle(shown.Applied);
        if (isAnother)
        {
            copy.Adopt(shown.Version, shown.State, state);
        }

        queue.Rebase(Base, sent.ForgottenThrough(shown.Applied, instance));
        waiters.Confirmed(queue.ResolvedThrough);
        if (hadUpdates)
        {
            observer?.TentativeChanged();
        }

        if (queue.Count == 0 && !waiters.WantsRefresh)
        {
            // What was waiting has come.
            issues.Resolved();
        }

        if (isAnother)
        {
            observer?.ConfirmedChanged();
        }
    }

    /// <summary>Takes updates out of the queue, from one place to another, that cannot be written or make a state that cannot.</summary>
    internal void TakeOut(int first, int end, GeoSerializationException cause)
    {
        var reason = new GeoSerializationException(
            $"{end - first} updates of {key} ({queue[first]?.GetType()}) cannot be written, or make a state that cannot: {cause.Message} "
            + "They were taken out and are part of no version; the others go on.", cause);
        ViewLog.NeedsAttention(logger, key, reason.Message);
        ConsistencyMetrics.UpdatesQuarantined.Add(end - first);
        waiters.FailFrom(queue.Quarantine(first, end, reason), reason);
        copy.DropTentative();
        issues.Arose("sending updates to the leader", reason.Message, isPermanent: true);
        issues.Resolved();
        observer?.TentativeChanged();
        waiters.Confirmed(queue.ResolvedThrough);
    }

    /// <summary>Gives up the updates through a number: they may have been decided, and nobody can find out any more.</summary>
    internal void GiveUp(long through)
    {
        var count = queue.CountThrough(through);
        var lost = new GeoOutcomeUnknownException(
            $"Whether {count} updates of {key} took effect can no longer be found out: more than {maxInstances} other instances "
            + "(option MaxInstances) sent updates before theirs were acknowledged. They will not be sent again.");
        ViewLog.NeedsAttention(logger, key, lost.Message);
        queue.RemoveInDoubt(count, lost);
        queue.RefuseConditional();
        copy.DropTentative();
        issues.Arose("sending updates to the leader", lost.Message);
        waiters.Fail(lost);
        observer?.TentativeChanged();
    }

    private void Settle(AppliedTable applied)
    {
        if (!applied.TryGetNumber(instance, out var number))
        {
            return;
        }

        var decided = BatchNumber.Decode(number);
        if (queue.CountThrough(decided.LastSequence) == 0)
        {
            return;
        }

        var unwritable = queue.Settle(decided);
        copy.DropTentative();
        if (unwritable > 0)
        {
            TakeOut(0, unwritable, new GeoSerializationException("the leader could not write it."));
        }
    }
}
