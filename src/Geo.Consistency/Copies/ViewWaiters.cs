namespace Geo.Consistency;

/// <summary>
/// Those who wait for a confirm or a refresh. A refresh is satisfied by an operation on the latest version that began after it was
/// asked for; one operation serves all who wait.
/// </summary>
internal sealed class ViewWaiters
{
    private readonly Queue<Waiter> _confirms = new();
    private readonly Queue<Waiter> _refreshes = new();
    private Waiter? _lastConfirm;
    private Waiter? _lastRefresh;
    private long _started;

    internal bool WantsRefresh => _refreshes.Count > 0;

    internal bool Any => _confirms.Count > 0 || _refreshes.Count > 0;

    /// <summary>Numbers an operation that begins now.</summary>
    internal long Begin() => ++_started;

    /// <summary>Waits until the updates up to a sequence number are confirmed.</summary>
    internal Task<bool> Confirm(long throughSequence, CancellationToken cancellationToken) =>
        Join(_confirms, ref _lastConfirm, throughSequence, 0, cancellationToken);

    /// <summary>Waits for the same, and for an operation that begins from now on.</summary>
    internal Task<bool> Refresh(long throughSequence, CancellationToken cancellationToken) =>
        Join(_refreshes, ref _lastRefresh, throughSequence, _started, cancellationToken);

    /// <summary>The updates up to a sequence number are confirmed.</summary>
    internal void Confirmed(long throughSequence)
    {
        while (_confirms.TryPeek(out var waiter) && waiter.Sequence <= throughSequence)
        {
            _confirms.Dequeue().Completion.TrySetResult(true);
        }
    }

    /// <summary>An operation found or made the latest version.</summary>
    internal void Succeeded(long operation, long throughSequence)
    {
        Confirmed(throughSequence);
        while (_refreshes.TryPeek(out var waiter) && waiter.Sequence <= throughSequence && waiter.After < operation)
        {
            _refreshes.Dequeue().Completion.TrySetResult(true);
        }
    }

    /// <summary>Fails all who wait.</summary>
    internal void Fail(Exception reason)
    {
        while (_confirms.TryDequeue(out var waiter) || _refreshes.TryDequeue(out waiter))
        {
            waiter.Completion.TrySetFaulted(reason);
        }
    }

    private static Task<bool> Join(Queue<Waiter> queue, ref Waiter? last, long sequence, long after, CancellationToken cancellationToken)
    {
        // Those who wait for the same share one task, except who may give up before the others.
        var isShared = !cancellationToken.CanBeCanceled;
        if (isShared && last is not null && !last.Completion.Task.IsCompleted && last.Sequence == sequence && last.After == after)
        {
            return last.Completion.Task;
        }

        var waiter = new Waiter(sequence, after, new(cancellationToken));
        queue.Enqueue(waiter);
        last = isShared ? waiter : last;
        return waiter.Completion.Task;
    }

    private sealed record Waiter(long Sequence, long After, Completion<bool> Completion);
}
