namespace Geo.Consistency;

/// <summary>
/// What the views that queue their updates have in common: local operations, waiting, and one background worker that takes one
/// protocol step after the other while there is something to do (GEO section 3.4, "a single asynchronous worker loop").
/// </summary>
internal abstract class QueuedView<TState, TUpdate> : ViewStates<TState, TUpdate>, ISessionView<TState, TUpdate>, IReplica, IViewObserver,
    IWaitedView
{
    private readonly IViewObserver? _observer;
    private LocalCopy<TState, TUpdate> _copy;
    private ChangeSignal? _changes;
    private IssueRecord? _issues;
    private CancellationTokenSource? _stopping;
    private int _work;
    private bool _isWorking;
    private bool _isStopped;

    protected QueuedView(
        GrainKey key,
        IViewModel<TState, TUpdate> model,
        IReplicaLink link,
        ViewServices services,
        IViewObserver? observer,
        int maxPending,
        int maxBatch,
        int maxWaiters)
        : base(key, model, services)
    {
        (Link, _observer) = (link, observer);
        Queue = new(this, maxPending, maxBatch);
        Waiters = new(this, maxWaiters);
        InstanceId = services.Random.NextInt64(1, long.MaxValue);
    }

    /// <inheritdoc/>
    public override string ToString() => Key.ToString();

    public long Version => _copy.Version;

    public TState Confirmed => _copy.Confirmed(this);

    public TState Tentative => _copy.Tentative(this);

    public IReadOnlyList<TUpdate> Unconfirmed => Queue.Snapshot();

    public ViewIssue? Issue => _issues?.Current;

    /// <summary>Tells this instance apart from every other one, its predecessors in the same cluster included.</summary>
    internal long InstanceId { get; init; }

    ulong ISessionView<TState, TUpdate>.GrainHash => SessionMark.HashOf(Key);

    ClusterId ISessionView<TState, TUpdate>.Cluster => Link.Local;

    TimeProvider ISessionView<TState, TUpdate>.Time => Services.Time;

    TimeSpan? ISessionView<TState, TUpdate>.Age => Waiters.Age(Services.Time);

    uint ISessionView<TState, TUpdate>.InstanceHash => SessionMark.InstanceOf(InstanceId);

    NumberRange ISessionView<TState, TUpdate>.Pending => Queue.Numbers;

    bool ISessionView<TState, TUpdate>.IsConditionPending => Queue.HasConditional;

    protected IReplicaLink Link { get; }

    /// <summary>Hears what is shown: the application's observer, and who waits for a change.</summary>
    internal IViewObserver Observer => this;

    internal UpdateQueue<TUpdate> Queue { get; }

    internal ref LocalCopy<TState, TUpdate> Copy => ref _copy;

    internal ViewWaiters Waiters { get; }

    internal IssueRecord Issues => _issues ??= new(Services.Time, _observer);

    /// <summary>True once the view was disposed.</summary>
    protected bool IsStopped => _isStopped;

    /// <summary>
    /// Set when the view is disposed; for use between <see cref="BeginWork"/> and <see cref="EndWork"/>, because an idle view has none.
    /// </summary>
    protected CancellationToken Stopping =>
        _isStopped ? new(canceled: true) : (_stopping ??= Spare<CancellationTokenSource>.Take()).Token;

    /// <summary>Which of its own updates are, or may be, in no version; null for none.</summary>
    protected UpdateGaps? Gaps
    {
        get
        {
            var (removed, refused) = (Waiters.AllRemoved, Queue.Refused?.All ?? default);
            return removed.IsNone && refused.IsNone ? null : new(removed, refused);
        }
    }

    /// <summary>The version shown, in its history; of no use where there is one history only.</summary>
    protected virtual VersionBase ShownBase => default;

    public void Start() => Wake();

    public void Enqueue(TUpdate update)
    {
        ThrowIfDisposed();
        Add(update);
    }

    public void Enqueue(IReadOnlyList<TUpdate> updates)
    {
        ArgumentNullException.ThrowIfNull(updates);
        ThrowIfDisposed();
        if (updates.Count > 0)
        {
            AddGroup(updates, decision: null);
        }
    }

    public Task<bool> TryEnqueueAsync(IReadOnlyList<TUpdate> updates, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(updates);
        ThrowIfDisposed();
        if (updates.Count == 0)
        {
            return Task.FromResult(true);
        }

        var decision = new Completion<bool>(cancellationToken);
        AddGroup(updates, decision);
        return EndHereAsync(decision.Task);
    }

    public Task ConfirmAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfDisposed();
        if (Queue.Count == 0)
        {
            return Waiters.Decided(Queue.LastSequence);
        }

        var confirmed = Waiters.Confirm(Queue.LastSequence, cancellationToken);
        Wake();
        return EndRaisedAsync(confirmed);
    }

    public Task RefreshAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfDisposed();
        var refreshed = Waiters.Refresh(Queue.LastSequence, cancellationToken);
        Wake();
        return Queue.LastSequence == 0 ? EndHereAsync(refreshed) : EndRaisedAsync(refreshed);
    }

    public Task<Versioned<T>> ReadAsync<T>(Func<TState, T> select, ViewRead read, CancellationToken cancellationToken = default)
    {
        ThrowIfDisposed();
        return SessionReads.ReadAsync(this, select, read, cancellationToken);
    }

    public Task<UpdateOutcome> UpdateAsync(TUpdate update, ViewUpdate how, CancellationToken cancellationToken = default)
    {
        ThrowIfDisposed();
        return SessionReads.UpdateAsync(this, update, how, cancellationToken);
    }

    public IAsyncEnumerable<Versioned<T>> VersionsAsync<T>(Func<TState, T> select, CancellationToken cancellationToken = default) =>
        SessionReads.VersionsAsync(this, select, cancellationToken);

    public abstract SessionMark? Mark(ulong grain);

    MarkState ISessionView<TState, TUpdate>.StateOf(SessionMark mark) =>
        !mark.IsPending ? StateOf(mark)
        : mark.Owner == SessionMark.InstanceOf(InstanceId)
            ? Waiters.StateOf(mark.Numbers) ?? RefusedOf(mark)
                ?? (mark.Counter <= Queue.ResolvedThrough ? MarkState.Contained : MarkState.Behind)
        : DecidedOf(mark.Owner, out var mayBeForgotten) is { } decided
            ? decided.Gaps?.Concern(mark) == true ? MarkState.Doubtful
                : mark.Counter <= decided.Number ? MarkState.Contained : MarkState.Behind
        : mayBeForgotten ? MarkState.Forgotten : MarkState.Behind;

    Task ISessionView<TState, TUpdate>.NextChangeAsync(CancellationToken cancellationToken)
    {
        ThrowIfDisposed();
        return (_changes ??= new(Key, Waiters.Limit)).NextAsync(cancellationToken);
    }

    (long Number, Task Confirmed) ISessionView<TState, TUpdate>.Add(
        TUpdate update, bool isWaitedFor, CancellationToken cancellationToken)
    {
        ThrowIfDisposed();
        if (!isWaitedFor)
        {
            return (Add(update), Task.CompletedTask);
        }

        // The wait has its place before the update has: who is told that he may not wait must have queued nothing.
        Queue.CheckRoom(1);
        var confirmed = Waiters.One(Queue.LastSequence + 1, cancellationToken);
        return (confirmed.IsCompleted ? 0 : Add(update), confirmed);
    }

    Task ISessionView<TState, TUpdate>.LatestAsync(CancellationToken cancellationToken)
    {
        ThrowIfDisposed();
        return LatestAsync(cancellationToken);
    }

    void IViewObserver.ConfirmedChanged()
    {
        _observer?.ConfirmedChanged();
        _changes?.Changed();
    }

    void IViewObserver.TentativeChanged()
    {
        _observer?.TentativeChanged();
        _changes?.Changed();
    }

    void IViewObserver.IssueArose(ViewIssue issue) => _observer?.IssueArose(issue);

    void IViewObserver.IssueResolved(ViewIssue issue) => _observer?.IssueResolved(issue);

    public abstract ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(
        ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken);

    public abstract void LinkUp(ClusterId cluster);

    public void GiveUpWaits(GeoOutcomeUnknownException reason)
    {
        Fail(reason);
        _changes?.Fail(reason);
    }

    public virtual ValueTask DisposeAsync()
    {
        if (!_isStopped)
        {
            // The worker is not awaited: a store that never answers must not keep the grain from going, and what is in flight is
            // settled by the stamp or sequence number that it carries.
            _isStopped = true;
            _stopping?.Cancel();
            var reason = new GeoOutcomeUnknownException(
                $"The view of {Key} was disposed; whether its last updates were confirmed is not known.");
            Fail(reason);
            _changes?.Fail(new ObjectDisposedException(reason.Message));
        }

        return default;
    }

    /// <summary>
    /// Waits for the latest version and for what is queued, and hears nothing of updates that were taken out: who asks raised none.
    /// </summary>
    protected Task LatestAsync(CancellationToken cancellationToken)
    {
        var latest = Waiters.Latest(Queue.LastSequence, cancellationToken);
        Wake();
        return EndHereAsync(latest);
    }

    /// <summary>What is known of a mark of a version.</summary>
    protected abstract MarkState StateOf(SessionMark mark);

    /// <summary>
    /// The number of the last decided update of an instance in the version shown, and which may be in none; null where it has none.
    /// </summary>
    /// <param name="instance">The instance, by its hash.</param>
    /// <param name="mayBeForgotten">True when there may have been one that made room.</param>
    protected abstract (long Number, UpdateGaps? Gaps)? DecidedOf(uint instance, out bool mayBeForgotten);

    /// <summary>Takes the next step of the protocol; false when there is nothing to do.</summary>
    protected abstract ValueTask<bool> StepAsync();

    /// <summary>Lets the worker look for something to do.</summary>
    protected void Wake()
    {
        if (!_isWorking && !_isStopped)
        {
            _isWorking = true;
            BeginWork();
            _ = WorkAsync();
        }
    }

    /// <exception cref="OperationCanceledException">The view was disposed.</exception>
    protected void ThrowIfStopped()
    {
        if (_isStopped)
        {
            throw new OperationCanceledException(new CancellationToken(canceled: true));
        }
    }

    /// <summary>Something begins that is to end when the view is disposed.</summary>
    protected void BeginWork() => _work++;

    /// <summary>It has ended; with the last, nobody uses <see cref="Stopping"/> any more.</summary>
    protected void EndWork()
    {
        if (--_work == 0 && !_isStopped && _stopping is { } unused)
        {
            _stopping = null;
            Spare<CancellationTokenSource>.Give(unused, unused.TryReset());
        }
    }

    /// <summary>What kept the view from the latest version, if anything did, is over.</summary>
    internal void ResolveIssue() => _issues?.Resolved();

    /// <summary>Reports a failed attempt and waits before the next one.</summary>
    protected Task FailedAsync(string what, string reason, int failures, TimeSpan first, TimeSpan maximum)
    {
        Issues.Arose(what, reason);
        ViewLog.Unreachable(Logger, Key, what, Issue?.Attempts ?? failures, reason);
        return Task.Delay(BackOff.AfterFailures(failures, first, maximum, Services.Random), Services.Time, Stopping);
    }

    private async Task WorkAsync()
    {
        try
        {
            // Whatever else the present turn enqueues goes into the same batch.
            await Task.Yield();
            while (!_isStopped && await StepAsync())
            {
            }
        }
        catch (OperationCanceledException) when (_isStopped)
        {
            // The view was disposed.
        }
        catch (Exception e)
        {
            // Nobody may be left waiting; the next local operation starts the worker again.
            ViewLog.Broke(Logger, e, Key);
            var reason = new GeoOutcomeUnknownException(
                $"The view of {Key} failed: {e.Message} What is queued stays queued, and whether it becomes part of a version is not "
                + "known.", e);
            Fail(reason);
            Issues.Arose("keeping up with the latest version", e.Message, isPermanent: true);
        }
        finally
        {
            _isWorking = false;
            EndWork();
        }
    }

    private void Fail(GeoOutcomeUnknownException reason)
    {
        Waiters.Fail(reason);
        Queue.Abandon(reason);
    }

    /// <summary>
    /// Ends on the view's scheduler whoever completed the task, so that a caller who passes the result on without awaiting it
    /// does not take it elsewhere.
    /// </summary>
    private static async Task<T> EndHereAsync<T>(Task<T> task) => await task;

    /// <summary>
    /// As <see cref="EndHereAsync"/>, for one who may have raised updates before: that he may not wait takes none of them back.
    /// </summary>
    private async Task EndRaisedAsync(Task<bool> task)
    {
        try
        {
            await task;
        }
        catch (GeoUnavailableException e)
        {
            throw new GeoOutcomeUnknownException(
                $"What was raised on {Key} is not waited for, and what of it is queued stays queued: {e.Message}", e);
        }
    }

    private MarkState? RefusedOf(SessionMark mark) =>
        mark.Kind == SessionMarkKind.PendingOnCondition ? Queue.Refused?.StateOf(mark.Numbers) : null;

    /// <summary>Queues one update; gives its number.</summary>
    private long Add(TUpdate update)
    {
        Queue.Add(update);
        var number = Queue.LastSequence;
        Observer?.TentativeChanged();
        Wake();
        return number;
    }

    private void AddGroup(IReadOnlyList<TUpdate> updates, Completion<bool>? decision)
    {
        Queue.Add(updates, new UpdateGroup(updates.Count, decision) { ExpectedVersion = Version + Queue.Count, Base = ShownBase });
        Observer?.TentativeChanged();
        Wake();
    }

    private void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_isStopped, this);
}
