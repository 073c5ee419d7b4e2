namespace Geo.Consistency;

/// <summary>
/// One who waits for a view. Whoever awaits the task goes on on his own scheduler, never inside the completing call.
/// </summary>
internal sealed class ViewWaiter : TaskCompletionSource<bool>
{
    private readonly ViewWaiters _others;
    private CancellationTokenRegistration _registration;

    internal ViewWaiter(ViewWaiters others, WaitKind kind, long sequence, long operation, int since, bool isShared)
        : base(TaskCreationOptions.RunContinuationsAsynchronously) =>
        (_others, Kind, Sequence, Operation, Since, IsShared) = (others, kind, sequence, operation, since, isShared);

    internal WaitKind Kind { get; }

    /// <summary>The updates up to this sequence number must be decided.</summary>
    internal long Sequence { get; }

    /// <summary>An operation with a higher number must have succeeded; 0 for any.</summary>
    internal long Operation { get; }

    /// <summary>How often somebody had been told of updates that were taken out when this one came.</summary>
    internal int Since { get; }

    /// <summary>True when others may wait on the same task: none of them can give up.</summary>
    internal bool IsShared { get; }

    internal ViewWaiter? Before { get; set; }

    internal ViewWaiter? After { get; set; }

    /// <summary>True while it is among those who wait.</summary>
    internal bool IsListed { get; set; }

    internal void GiveUpWhen(CancellationToken cancellationToken) => _registration = cancellationToken.UnsafeRegister(
        static (waiter, token) => ((ViewWaiter)waiter!).GiveUp(token), this);

    internal void Succeed()
    {
        _registration.Unregister();
        TrySetResult(true);
    }

    /// <summary>False when it had given up.</summary>
    internal bool Fail(Exception reason)
    {
        _registration.Unregister();
        if (!TrySetException(reason))
        {
            return false;
        }

        // Counted as seen: perhaps nobody awaits it any more.
        _ = Task.Exception;
        return true;
    }

    private void GiveUp(CancellationToken token)
    {
        if (TrySetCanceled(token))
        {
            _others.Leave(this);
        }
    }
}
