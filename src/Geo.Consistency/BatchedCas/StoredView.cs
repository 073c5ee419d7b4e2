using System.Runtime.CompilerServices;
using System.Text;

namespace Geo.Consistency;

/// <summary>
/// What an instance of a persistent grain knows of the version in a conditional store, and how it comes to know: by reading it, and by what
/// other instances tell. Who writes it is <see cref="BatchedCasView{TState, TUpdate}"/>.
/// </summary>
internal abstract class StoredView<TState, TUpdate> : QueuedView<TState, TUpdate>, ISessionView<TState, TUpdate>
{
    protected const string Writing = "writing to storage";

    private const string Reading = "reading from storage";

    private StrongBox<CasNotification>? _notification;
    private bool _willTryAgain;

    protected StoredView(
        GrainKey key, IViewModel<TState, TUpdate> model, IConditionalStore store, IReplicaLink link, ViewServices services,
        IViewObserver? observer)
        : base(
            key, model, link, services, observer, services.BatchedCas.MaxPending, services.BatchedCas.MaxBatch,
            services.BatchedCas.MaxWaiters)
    {
        Row = new(store, this);
    }

    // Not by the etag alone: a store that counts its versions counts them again once its file was set back. No instance outlives that.
    uint ISessionView<TState, TUpdate>.Edition =>
        State.ETag is { } etag ? (uint)StableHash.Hash128(Encoding.UTF8.GetBytes($"{etag}/{State.Writer.Instance}")).High : 0;

    protected BatchedCasOptions Options => Services.BatchedCas;

    protected ViewRow<TState, TUpdate> Row { get; }

    protected CasState State { get; set; } = CasState.Initial;

    protected CasPace Pace { get; set; } = CasPace.Initial;

    /// <summary>True when it is time to try again what was refused for good, though nobody waits for it.</summary>
    protected bool TriesAgain { get; private set; }

    protected CasWriter Self => new(Link.Local, InstanceId);

    protected TimeSpan Now => Services.Time.GetElapsedTime(0);

    public override void LinkUp(ClusterId cluster)
    {
        if (State.Version > 0)
        {
            Link.Notify(Key, new CasNotification(State.Version, null, default).Write());
        }
    }

    /// <summary>A newer version was adopted.</summary>
    protected abstract void Adopted();

    /// <summary>Nothing can be written until somebody has acted.</summary>
    protected abstract void Faulted();

    protected void TakeNotification(CasNotification notification)
    {
        if (notification.Version <= Math.Max(State.Version, _notification?.Value.Version ?? 0))
        {
            ConsistencyMetrics.NotificationsIgnored.Add(1);
            return;
        }

        _notification = new(notification with { Value = notification.Value.ToArray() });
        Wake();
    }

    protected void SeeNotification()
    {
        if (_notification is not { } notification)
        {
            return;
        }

        _notification = null;
        SeeTold(notification.Value);
    }

    /// <summary>Sees a version that another instance has told of, or reads it next.</summary>
    protected void SeeTold(CasNotification told)
    {
        if (told.Version <= State.Version)
        {
            ConsistencyMetrics.NotificationsIgnored.Add(1);
            return;
        }

        try
        {
            if (told.ETag is { } etag && See(StoredVersion.Read(told.Value), etag).Verdict != CasVerdict.Replaced)
            {
                return;
            }
        }
        catch (GeoSerializationException e)
        {
            // Storage has the last word on what the state is.
            ViewLog.UnreadableNotification(Logger, Key, default, e.Message);
        }

        State = BatchedCasRules.Announced(State, told.Version);
    }

    protected async Task ReadAsync()
    {
        TriesAgain = false;
        if (BatchedCasRules.SpreadsOut(State))
        {
            await Task.Delay(
                BackOff.AfterConflicts(State.Conflicts - 1, Options.ConflictBase * 2, Options.ConflictMaximum, Services.Random),
                Services.Time,
                Stopping);
        }

        var operation = Waiters.Begin(Services.Time);
        var began = Now;
        Pace = Pace.Begins();
        StoreRead read;
        try
        {
            // The first read of the one instance that there is: nobody else writes the row.
            read = await Row.ReadAsync(Stopping, isToWrite: Link.Others.Count == 0 && State == CasState.Initial);
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
            State = BatchedCasRules.ReadFailed(State);
            await FailedAsync(Reading, read.Reason ?? "no reason given", State.Failures, Options.RetryBase, Options.RetryMaximum);
            return;
        }

        Pace = Pace.Took(Now - began);
        try
        {
            var stored = read.Outcome == StoreReadOutcome.Found ? StoredVersion.Read(read.Value) : StoredVersion.None;
            var seen = See(stored, read.ETag);
            if (seen.Verdict == CasVerdict.Replaced)
            {
                Fault(Reading, new GeoStorageException(
                    $"The stored state of {Key} (store key '{Row.Key}') was deleted or set back from version {Version} to "
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
                $"The stored state of {Key} (store key '{Row.Key}') cannot be read as {typeof(TState)}: {e.Message} It was left as it is. "
                + "Run a version of the application that can read it, or repair or remove the row.", e));
            return;
        }

        Waiters.Succeeded(operation, Queue.ResolvedThrough);
    }

    /// <summary>Adopts a stored version, unless its history is not the one shown so far.</summary>
    /// <exception cref="GeoSerializationException">The state cannot be read; nothing was adopted.</exception>
    private CasObservation See(StoredVersion stored, ETag? etag)
    {
        var seen = BatchedCasRules.Observe(State, stored.Row(etag), InstanceId, Queue.CountThrough);
        var state = seen.Verdict == CasVerdict.Newer ? Read(stored.Version, stored.State) : default!;
        State = seen.Next;
        if (seen.Verdict == CasVerdict.Newer)
        {
            Pace = Pace.Saw(stored.Writer, InstanceId, Now);
            Adopt(stored, state, seen);
            Adopted();
        }

        if (seen.Verdict != CasVerdict.Replaced && Queue.Count == 0)
        {
            State = BatchedCasRules.Rested(State);
            if (State.Failures == 0)
            {
                ResolveIssue();
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
                $"Whether {seen.InDoubt} updates of {Key} took effect can no longer be found out: more than {Options.MaxInstances} other "
                + "instances (option MaxInstances) wrote before it was settled. They will not be written again.");
            ViewLog.NeedsAttention(Logger, Key, lost.Message);
            Waiters.Removed(Queue.RemoveInDoubt(seen.InDoubt, lost), lost);
            Issues.Arose(Writing, lost.Message);
        }
    }

    protected void NotifyOthers(long version, ETag etag, ReadOnlyMemory<byte> value) =>
        Link.Notify(Key, Told(version, etag, value).Write(), Digest(version));

    /// <summary>What is said again later, in case that the notification was lost.</summary>
    protected static ReadOnlyMemory<byte> Digest(long version) => new CasNotification(version, null, default).Write();

    protected CasNotification Told(long version, ETag etag, ReadOnlyMemory<byte> value) =>
        value.Length <= Options.MaxNotifiedBytes ? new(version, etag, value) : new(version, null, default);

    protected void Fault(string what, Exception reason)
    {
        State = BatchedCasRules.Faulted(State);
        ViewLog.NeedsAttention(Logger, Key, reason.Message);
        Issues.Arose(what, reason.Message, isPermanent: true);
        Faulted();
        if (State.DoubtThrough <= Queue.ResolvedThrough && Queue.RefuseConditional(reason))
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
        BeginWork();
        try
        {
            await Task.Delay(Options.RefusedRetry, Services.Time, Stopping);
            (TriesAgain, _willTryAgain) = (true, false);
            Wake();
        }
        catch (OperationCanceledException)
        {
            // The view was disposed.
        }
        finally
        {
            EndWork();
        }
    }
}
