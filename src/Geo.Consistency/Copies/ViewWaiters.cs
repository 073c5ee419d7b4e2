namespace Geo.Consistency;

/// <summary>
/// Those who wait for updates to be confirmed or for the latest version, at most a limit of them. A refresh is satisfied by an operation on
/// the latest version that began after it was asked for; one operation serves all who wait. Whoever gives up is taken out at once; who
/// waits for updates that were taken out of the queue is told so in the end.
/// </summary>
/// <param name="grain">The grain, as text.</param>
/// <param name="limit">How many may wait.</param>
internal sealed class ViewWaiters(object grain, int limit)
{
    // Who waits is touched on the view's scheduler, except that a wait may be given up on any thread.
    private ViewFreshness _freshness;
    private Lists? _lists;
    private RemovedUpdates? _removed;
    private long _started;

    internal bool WantsRefresh => _lists is { Refreshes.Count: > 0 };

    /// <summary>How many may wait.</summary>
    internal int Limit => limit;

    /// <summary>How old the latest version known may be; null before there is one.</summary>
    internal TimeSpan? Age(TimeProvider time) => _freshness.Age(time);

    /// <summary>True when an operation has found or made the latest version.</summary>
    internal bool HaveSucceeded => !_freshness.IsNone;

    internal bool Any => Count > 0;

    /// <summary>True when somebody waits for an operation that begins after one that has begun.</summary>
    internal bool WantsRefreshAfter(long operation)
    {
        lock (this)
        {
            return _lists?.Refreshes.Last is { } last && last.Operation >= operation;
        }
    }

    internal int Count => _lists is { } lists ? lists.Confirms.Count + lists.Refreshes.Count : 0;

    /// <summary>Numbers an operation that begins now.</summary>
    internal long Begin(TimeProvider time)
    {
        _started++;
        _freshness.Began(_started, time);
        return _started;
    }

    /// <summary>Waits until the updates up to a sequence number are confirmed.</summary>
    internal Task<bool> Confirm(long throughSequence, CancellationToken cancellationToken) =>
        Join(WaitKind.Confirm, throughSequence, 0, cancellationToken);

    /// <summary>Waits until the update of a sequence number is, which is about to be enqueued unless the wait is over at once.</summary>
    internal Task<bool> One(long sequence, CancellationToken cancellationToken) => Join(WaitKind.One, sequence, 0, cancellationToken);

    /// <summary>Waits as <see cref="Confirm"/>, and for an operation that begins from now on.</summary>
    internal Task<bool> Refresh(long throughSequence, CancellationToken cancellationToken) =>
        Join(WaitKind.Refresh, throughSequence, _started, cancellationToken);

    /// <summary>As <see cref="Refresh"/>, but nothing is said of updates that were taken out.</summary>
    internal Task<bool> Latest(long throughSequence, CancellationToken cancellationToken) =>
        Join(WaitKind.Latest, throughSequence, _started, cancellationToken);

    /// <summary>A confirm of what is decided already.</summary>
    internal Task Decided(long throughSequence)
    {
        if (_removed is null)
        {
            return Task.CompletedTask;
        }

        var waiter = new ViewWaiter(this, WaitKind.Confirm, throughSequence, 0, Tellings, isShared: false);
        End(waiter);
        return waiter.Task;
    }

    /// <summary>Updates were taken out of the queue.</summary>
    /// <param name="range">Which.</param>
    /// <param name="reason">Why; a <see cref="GeoOutcomeUnknownException"/> where they may be in a version.</param>
    internal void Removed(RemovedRange range, GeoException reason) => (_removed ??= new()).Add(range, reason);

    /// <summary>The updates that were taken out.</summary>
    internal NumberRanges AllRemoved => _removed?.All ?? default;

    /// <inheritdoc cref="RemovedUpdates.StateOf"/>
    internal MarkState? StateOf(NumberRange marked) => _removed?.StateOf(marked);

    /// <summary>The updates up to a sequence number are decided.</summary>
    internal void Confirmed(long throughSequence) => Release(isForRefresh: false, throughSequence, long.MaxValue);

    /// <summary>An operation found or made the latest version.</summary>
    internal void Succeeded(long operation, long throughSequence)
    {
        _freshness.Succeeded(operation);
        Confirmed(throughSequence);
        Release(isForRefresh: true, throughSequence, operation);
    }

    /// <summary>Fails all who wait; what is queued stays queued.</summary>
    internal void Fail(Exception reason)
    {
        while (TryTakeFirst(isForRefresh: false, long.MaxValue, long.MaxValue) is { } confirm)
        {
            confirm.Fail(confirm.Kind == WaitKind.One ? ReasonForOne(confirm, reason) : reason);
        }

        while (TryTakeFirst(isForRefresh: true, long.MaxValue, long.MaxValue) is { } refresh)
        {
            refresh.Fail(reason);
        }
    }

    /// <summary>A wait was given up.</summary>
    internal void Leave(ViewWaiter waiter)
    {
        lock (this)
        {
            Remove(waiter);
        }

        ConsistencyMetrics.WaitsGivenUp.Add(1);
    }

    private int Tellings => _removed?.Tellings ?? 0;

    private Task<bool> Join(WaitKind kind, long sequence, long operation, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<bool>(cancellationToken);
        }

        ViewWaiter waiter;
        lock (this)
        {
            ref var queue = ref (_lists ??= new()).Of(IsForRefresh(kind));

            // Those who wait for the same share one task, except who may give up before the others.
            if (!cancellationToken.CanBeCanceled && queue.Last is { IsShared: true } last && last.Kind == kind && last.Sequence == sequence
                && last.Operation == operation && last.Since == Tellings)
            {
                return last.Task;
            }

            if (Count >= limit)
            {
                ConsistencyMetrics.WaitsRefused.Add(1);
                return Task.FromException<bool>(new GeoUnavailableException(
                    $"The view of {grain} has {limit} callers waiting for a confirm or a refresh, as many as option MaxWaiters allows; "
                    + "this one does not wait. Nothing was done; try again."));
            }

            waiter = new(this, kind, sequence, operation, Tellings, isShared: !cancellationToken.CanBeCanceled);
            queue.Add(waiter);
        }

        waiter.GiveUpWhen(cancellationToken);
        return waiter.Task;
    }

    private static bool IsForRefresh(WaitKind kind) => kind >= WaitKind.Refresh;

    private void Remove(ViewWaiter waiter)
    {
        _lists?.Of(IsForRefresh(waiter.Kind)).Remove(waiter);
        _lists = Count == 0 ? null : _lists;
    }

    private void Release(bool isForRefresh, long throughSequence, long operation)
    {
        while (TryTakeFirst(isForRefresh, throughSequence, operation) is { } waiter)
        {
            End(waiter);
        }
    }

    /// <summary>What it waits for is decided.</summary>
    private void End(ViewWaiter waiter)
    {
        if (_removed?.ReasonFor(waiter.Kind, waiter.Sequence, waiter.Since) is not { } reason)
        {
            waiter.Succeed();
        }
        else if (waiter.Fail(reason))
        {
            _removed.Told(waiter.Kind, waiter.Sequence, waiter.Since);
        }
    }

    /// <summary>One update is applied, refused or unknown: what else goes wrong with a view leaves it queued.</summary>
    private Exception ReasonForOne(ViewWaiter waiter, Exception reason) =>
        _removed?.ReasonFor(WaitKind.One, waiter.Sequence, waiter.Since) is { } removed ? removed
        : reason is GeoOutcomeUnknownException ? reason
        : new GeoOutcomeUnknownException(
            $"An update of {grain} stays queued, and whether it becomes part of a version is not known: {reason.Message}", reason);

    private ViewWaiter? TryTakeFirst(bool isForRefresh, long throughSequence, long operation)
    {
        if (_lists is null)
        {
            return null;
        }

        lock (this)
        {
            if (_lists?.Of(isForRefresh).First is not { } first || first.Sequence > throughSequence || first.Operation >= operation)
            {
                return null;
            }

            Remove(first);
            return first;
        }
    }

    /// <summary>There while somebody waits.</summary>
    private sealed class Lists
    {
        private WaiterList _confirms;
        private WaiterList _refreshes;

        internal ref readonly WaiterList Confirms => ref _confirms;

        internal ref readonly WaiterList Refreshes => ref _refreshes;

        internal ref WaiterList Of(bool isForRefresh)
        {
            if (isForRefresh)
            {
                return ref _refreshes;
            }

            return ref _confirms;
        }
    }
}
