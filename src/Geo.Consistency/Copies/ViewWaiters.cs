namespace Geo.Consistency;

/// <summary>
/// Those who wait for a confirm or a refresh, at most a limit of them. A refresh is satisfied by an operation on the latest version that
/// began after it was asked for; one operation serves all who wait. Whoever gives up is taken out at once.
/// </summary>
/// <param name="grain">The grain, as text.</param>
/// <param name="limit">How many may wait.</param>
/// <param name="time">The clock.</param>
internal sealed class ViewWaiters(object grain, int limit, TimeProvider time)
{
    // Who waits is touched on the view's scheduler, except that a wait may be given up on any thread.
    private ViewFreshness _freshness;
    private Lists? _lists;
    private long _started;

    internal bool WantsRefresh => _lists is { Refreshes.Count: > 0 };

    /// <summary>How many may wait.</summary>
    internal int Limit => limit;

    /// <summary>How old the latest version known may be; null before there is one.</summary>
    internal TimeSpan? Age => _freshness.Age(time);

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
    internal long Begin()
    {
        _started++;
        _freshness.Began(_started, time);
        return _started;
    }

    /// <summary>Waits until the updates up to a sequence number are confirmed.</summary>
    internal Task<bool> Confirm(long throughSequence, CancellationToken cancellationToken) =>
        Join(false, throughSequence, 0, cancellationToken);

    /// <summary>Waits for the same, and for an operation that begins from now on.</summary>
    internal Task<bool> Refresh(long throughSequence, CancellationToken cancellationToken) =>
        Join(true, throughSequence, _started, cancellationToken);

    /// <summary>The updates up to a sequence number are confirmed.</summary>
    internal void Confirmed(long throughSequence) => Release(isForRefresh: false, throughSequence, long.MaxValue);

    /// <summary>An operation found or made the latest version.</summary>
    internal void Succeeded(long operation, long throughSequence)
    {
        _freshness.Succeeded(operation);
        Confirmed(throughSequence);
        Release(isForRefresh: true, throughSequence, operation);
    }

    /// <summary>Fails all who wait.</summary>
    internal void Fail(Exception reason)
    {
        while (TryTakeFirst(isForRefresh: false, long.MaxValue, long.MaxValue) is { } confirm)
        {
            confirm.Fail(reason);
        }

        while (TryTakeFirst(isForRefresh: true, long.MaxValue, long.MaxValue) is { } refresh)
        {
            refresh.Fail(reason);
        }
    }

    /// <summary>Fails those who wait for the update of a sequence number, or for a later one.</summary>
    internal void FailFrom(long sequence, Exception reason)
    {
        FailFrom(isForRefresh: false, sequence, reason);
        FailFrom(isForRefresh: true, sequence, reason);
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

    private Task<bool> Join(bool isForRefresh, long sequence, long operation, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<bool>(cancellationToken);
        }

        ViewWaiter waiter;
        lock (this)
        {
            ref var queue = ref (_lists ??= new()).Of(isForRefresh);

            // Those who wait for the same share one task, except who may give up before the others.
            if (!cancellationToken.CanBeCanceled && queue.Last is { IsShared: true } last && last.Sequence == sequence
                && last.Operation == operation)
            {
                return last.Task;
            }

            if (Count >= limit)
            {
                ConsistencyMetrics.WaitsRefused.Add(1);
                return Task.FromException<bool>(new GeoUnavailableException(
                    $"The view of {grain} has {limit} callers waiting for a confirm or a refresh, as many as option MaxWaiters allows; this "
                    + "one does not wait. What was enqueued stays queued."));
            }

            waiter = new(this, isForRefresh, sequence, operation, isShared: !cancellationToken.CanBeCanceled);
            queue.Add(waiter);
        }

        waiter.GiveUpWhen(cancellationToken);
        return waiter.Task;
    }

    private void Remove(ViewWaiter waiter)
    {
        _lists?.Of(waiter.IsForRefresh).Remove(waiter);
        _lists = Count == 0 ? null : _lists;
    }

    private void Release(bool isForRefresh, long throughSequence, long operation)
    {
        while (TryTakeFirst(isForRefresh, throughSequence, operation) is { } waiter)
        {
            waiter.Succeed();
        }
    }

    private void FailFrom(bool isForRefresh, long sequence, Exception reason)
    {
        while (TryTakeLast(isForRefresh, sequence) is { } waiter)
        {
            waiter.Fail(reason);
        }
    }

    private ViewWaiter? TryTakeLast(bool isForRefresh, long sequence)
    {
        lock (this)
        {
            if (_lists?.Of(isForRefresh).Last is not { } last || last.Sequence < sequence)
            {
                return null;
            }

            Remove(last);
            return last;
        }
    }

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
