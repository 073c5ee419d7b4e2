namespace Geo.Consistency;

/// <summary>
/// The newest confirmed version that an instance shows, and the decisions on its queue that come with it: what is part of the version, was
/// refused, cannot be written, or has an outcome that nobody can find out any more.
/// </summary>
/// <remarks>A part of the instance, as <see cref="LeaderSearch"/> is.</remarks>
internal struct ShownHistory<TState, TUpdate>
{
    private ReplicaLog? _shown;

    /// <summary>The log shown, all of which is confirmed.</summary>
    internal readonly ReplicaLog Shown => _shown ?? ReplicaLog.Nothing;

    /// <summary>The version shown, in its history.</summary>
    internal readonly VersionBase Base => Shown.BaseOf(Shown.Version) ?? default;

    /// <summary>The newest step known to be confirmed.</summary>
    internal readonly long Step => Shown.Step;

    /// <summary>Shows the newest version that is confirmed, and takes the decisions on what is queued out of it.</summary>
    /// <param name="view">The instance.</param>
    /// <param name="shown">The log up to that version.</param>
    /// <param name="sent">What of the queue may have been decided.</param>
    /// <param name="deciding">What the instance has decided, if it has.</param>
    /// <exception cref="GeoSerializationException">Its state cannot be read.</exception>
    internal void Observe(
        QueuedView<TState, TUpdate> view, ReplicaLog shown, SentUpdates sent, ref LeaderDecisions<TState, TUpdate> deciding)
    {
        if (!shown.IsNewerThan(Shown))
        {
            return;
        }

        if (shown.Version < view.Copy.Version)
        {
            // By the rules it cannot be, unless an operator has left out a cluster that knew more.
            view.Issues.Arose(
                "keeping the history", $"version {view.Copy.Version} was shown here, and the clusters that agree know {shown.Version}");
            return;
        }

        var hadUpdates = view.Queue.Count > 0;
        var isAnother = shown.Version > view.Copy.Version;
        var state = !isAnother ? default! : deciding.TryTake(shown, out var decided) ? decided : view.Read(shown.Version, shown.State);
        _shown = shown;
        var unwritable = Settle(view, shown.Applied);
        if (isAnother)
        {
            view.Copy.Adopt(shown.Version, shown.State, state);
        }

        if (unwritable > 0)
        {
            TakeOut(view, 0, unwritable, new GeoSerializationException("the leader could not write it."), sent: default);
        }

        view.Queue.Rebase(Base, sent.ForgottenThrough(shown.Applied, view.InstanceId));
        view.Waiters.Confirmed(view.Queue.ResolvedThrough);
        if (hadUpdates)
        {
            view.Observer.TentativeChanged();
        }

        if (view.Queue.Count == 0 && !view.Waiters.WantsRefresh)
        {
            // What was waiting has come.
            view.ResolveIssue();
        }

        if (isAnother)
        {
            view.Observer.ConfirmedChanged();
        }
    }

    /// <summary>Takes updates out of the queue, from one place to another, that cannot be written or make a state that cannot.</summary>
    /// <param name="view">The instance.</param>
    /// <param name="first">The first one's place.</param>
    /// <param name="end">The place behind the last one.</param>
    /// <param name="cause">What is wrong with them.</param>
    /// <param name="sent">What may have been decided, though it cannot be written here any more.</param>
    internal static void TakeOut(
        QueuedView<TState, TUpdate> view, int first, int end, GeoSerializationException cause, SentUpdates sent)
    {
        var what = $"{end - first} updates of {view.Key} ({view.Queue[first]?.GetType()}) cannot be written, or make a state that cannot: "
            + $"{cause.Message} They were taken out; the others go on. ";
        GeoException reason = sent.AreInDoubt(view.Queue.SequenceThrough(first + 1))
            ? new GeoOutcomeUnknownException(
                what + "They had been sent to the leader before; whether it made them part of a version is not known.", cause)
            : new GeoSerializationException(what + "They are part of no version.", cause);
        ViewLog.NeedsAttention(view.Logger, view.Key, reason.Message);
        ConsistencyMetrics.UpdatesQuarantined.Add(end - first);
        view.Waiters.Removed(view.Queue.Quarantine(first, end, reason, sent.Through), reason);
        view.Copy.DropTentative();
        view.Issues.Arose("sending updates to the leader", reason.Message, isPermanent: true);
        view.ResolveIssue();
        view.Observer.TentativeChanged();
        view.Waiters.Confirmed(view.Queue.ResolvedThrough);
    }

    /// <summary>Gives up the updates through a number: they may have been decided, and nobody can find out any more.</summary>
    internal static void GiveUp(QueuedView<TState, TUpdate> view, long through)
    {
        var count = view.Queue.CountThrough(through);
        var lost = new GeoOutcomeUnknownException(
            $"Whether {count} updates of {view.Key} took effect can no longer be found out: more than "
            + $"{view.Services.VersionedLeader.MaxInstances} other instances (option MaxInstances) sent updates before theirs were "
            + "acknowledged. They will not be sent again.");
        ViewLog.NeedsAttention(view.Logger, view.Key, lost.Message);
        view.Waiters.Removed(view.Queue.RemoveInDoubt(count, lost), lost);
        view.Queue.RefuseConditional();
        view.Copy.DropTentative();
        view.Issues.Arose("sending updates to the leader", lost.Message);
        view.Observer.TentativeChanged();
        view.Waiters.Confirmed(view.Queue.ResolvedThrough);
    }

    /// <summary>Takes what is decided out of the queue; gives how many of the oldest are left to be taken out by the caller.</summary>
    private static int Settle(QueuedView<TState, TUpdate> view, AppliedTable applied)
    {
        if (!applied.TryGetNumber(view.InstanceId, out var number))
        {
            return 0;
        }

        var decided = BatchNumber.Decode(number);
        if (view.Queue.CountThrough(decided.LastSequence) == 0)
        {
            return 0;
        }

        var unwritable = view.Queue.Settle(decided);
        view.Copy.DropTentative();
        return unwritable;
    }
}
