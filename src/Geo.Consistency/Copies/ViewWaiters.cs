namespace Geo.Consistency;

/// <summary>
/// Those who wait for a confirm or a refresh, at most a limit of them. A refresh is satisfied by an operation on the latest version that
/// began after it was asked for; one operation serves all who wait. Whoever gives up is taken out at once.
/// </summary>
internal sealed class ViewWaiters(GrainKey key, int limit, ViewFreshness? freshness = null)
{
    // Who waits is touched on the view's scheduler, except that a wait may be given up on any thread.
    private readonly Lock _gate = new();
    private readonly LinkedList<ViewWaiter> _confirms = [];
    private readonly LinkedList<ViewWaiter> _refreshes = [];
    private long _started;

    internal bool WantsRefresh => _refreshes.Count > 0;

    internal bool Any => Count > 0;

    /// <summary>True when somebody waits for an operation that begins after one that has begun.</summary>
    internal bool WantsRefreshAfter(long operation)
    {
        lock (_gate)
        {
            return _refreshes.Last is { } last && last.Value.After >= operation;
        }
    }

    internal int Count => _confirms.Count + _refreshes.Count;

    /// <summary>Numbers an operation that begins now.</summary>
    internal long Begin()
    {
        _started++;
        freshness?.Began(_started);
        return _started;
    }

    /// <summary>Waits until the updates up to a sequence number are confirmed.</summary>
    internal Task<bool> Confirm(long throughSequence, CancellationToken cancellationToken) =>
        Join(_confirms, throughSequence, 0, cancellationToken);

    /// <summary>Waits for the same, and for an operation that begins from now on.</summary>
    internal Task<bool> Refresh(long throughSequence, CancellationToken cancellationToken) =>
        Join(_refreshes, throughSequence, _started, cancellationToken);

    /// <summary>The updates up to a sequence number are confirmed.</summary>
    internal void Confirmed(long throughSequence) => Release(_confirms, throughSequence, long.MaxValue);

    /// <summary>An operation found or made the latest version.</summary>
    internal void Succeeded(long operation, long throughSequence)
    {
        freshness?.Succeeded(operation);
        Confirmed(throughSequence);
        Release(_refreshes, throughSequence, operation);
    }

    /// <summary>Fails all who wait.</summary>
    internal void Fail(Exception reason)
    {
        while (TryTakeFirst(_confirms, long.MaxValue, long.MaxValue) is { } confirm)
        {
            confirm.Fail(reason);
        }

        while (TryTakeFirst(_refreshes, long.MaxValue, long.MaxValue) is { } refresh)
        {
            refresh.Fail(reason);
        }
    }

    /// <summary>Fails those who wait for the update of a sequence number, or for a later one.</summary>
    internal void FailFrom(long sequence, Exception reason)
    {
        FailFrom(_confirms, sequence, reason);
        FailFrom(_refreshes, sequence, reason);
    }

    /// <summary>A wait was given up.</summary>
    internal void Leave(ViewWaiter waiter)
    {
        lock (_gate)
        {
            waiter.Place.List?.Remove(waiter.Place);
        }

        ConsistencyMetrics.WaitsGivenUp.Add(1);
    }

    private Task<bool> Join(LinkedList<ViewWaiter> queue, long sequence, long after, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<bool>(cancellationToken);
        }

        ViewWaiter waiter;
        lock (_gate)
        {
            // Those who wait for the same share one task, except who may give up before the others.
            if (!cancellationToken.CanBeCanceled && queue.Last?.Value is { IsShared: true } last && last.Sequence == sequence
                && last.After == after)
            {
                return last.Task;
            }

            if (Count >= limit)
            {
                ConsistencyMetrics.WaitsRefused.Add(1);
                return Task.FromException<bool>(new GeoUnavailableException(
                    $"The view of {key} has {limit} callers waiting for a confirm or a refresh, as many as option MaxWaiters allows; this "
                    + "one does not wait. What was enqueued stays queued."));
            }

            waiter = new(this, sequence, after, isShared: !cancellationToken.CanBeCanceled);
            queue.AddLast(waiter.Place);
        }

        waiter.GiveUpWhen(cancellationToken);
        return waiter.Task;
    }

    private void Release(LinkedList<ViewWaiter> queue, long throughSequence, long operation)
    {
        while (TryTakeFirst(queue, throughSequence, operation) is { } waiter)
        {
            waiter.Succeed();
        }
    }

    private void FailFrom(LinkedList<ViewWaiter> queue, long sequence, Exception reason)
    {
        while (TryTakeLast(queue, sequence) is { } waiter)
        {
            waiter.Fail(reason);
        }
    }

    private ViewWaiter? TryTakeLast(LinkedList<ViewWaiter> queue, long sequence)
    {
        lock (_gate)
        {
            if (queue.Last is not { } last || last.Value.Sequence < sequence)
            {
                return null;
            }

            queue.Remove(last);
            return last.Value;
        }
    }

    private ViewWaiter? TryTakeFirst(LinkedList<ViewWaiter> queue, long throughSequence, long operation)
    {
        if (queue.Count == 0)
        {
            return null;
        }

        lock (_gate)
        {
            if (queue.First is not { } first || first.Value.Sequence > throughSequence || first.Value.After >= operation)
            {
                return null;
            }

            queue.Remove(first);
            return first.Value;
        }
    }
}
