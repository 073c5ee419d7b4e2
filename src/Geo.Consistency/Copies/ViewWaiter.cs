namespace Geo.Consistency;

/// <summary>
/// One who waits for a confirm or a refresh. Whoever awaits the task goes on on his own scheduler, never inside the completing call.
/// </summary>
internal sealed class ViewWaiter : TaskCompletionSource<bool>
{
    private readonly ViewWaiters _others;
    private CancellationTokenRegistration _registration;

    internal ViewWaiter(ViewWaiters others, bool isForRefresh, long sequence, long operation, bool isShared)
        : base(TaskCreationOptions.RunContinuationsAsynchronously) =>
        (_others, IsForRefresh, Sequence, Operation, IsShared) = (others, isForRefresh, sequence, operation, isShared);

    /// <summary>True for a refresh, false for a confirm.</summary>
    internal bool IsForRefresh { get; }

    /// <summary>The updates up to this sequence number must be confirmed.</summary>
    internal long Sequence { get; }

    /// <summary>An operation with a higher number must have succeeded; 0 for any.</summary>
    internal long Operation { get; }

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

    internal void Fail(Exception reason)
    {
        _registration.Unregister();
        if (TrySetException(reason))
        {
            // Counted as seen: perhaps nobody awaits it any more.
            _ = Task.Exception;
        }
    }

    private void GiveUp(CancellationToken token)
    {
        if (TrySetCanceled(token))
        {
            _others.Leave(this);
        }
    }
}
