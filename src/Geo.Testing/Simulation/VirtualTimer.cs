namespace Geo.Testing;

/// <summary>
/// One timer of a <see cref="VirtualTime"/>. An arming is the number of one setting of it; a later setting outdates the earlier.
/// </summary>
internal sealed class VirtualTimer(
    VirtualTime time, TimerCallback callback, object? state, SimulationLane? lane, ExecutionContext? context) : ITimer
{
    // Gone once the timer is disposed of: the clock forgets a timer when it would have been due, which may be long after, and what a
    // run's time-outs hold on to would outlive the collector's first generation.
    private TimerCallback? _callback = callback;
    private object? _state = state;
    private ExecutionContext? _context = context;
    private TimeSpan _period = Timeout.InfiniteTimeSpan;
    private long _arming;
    private bool _disposed;

    public bool Change(TimeSpan dueTime, TimeSpan period)
    {
        if (_disposed)
        {
            return false;
        }

        _period = period;
        Volatile.Write(ref _arming, dueTime == Timeout.InfiniteTimeSpan ? 0 : time.Arm(this, dueTime));
        return true;
    }

    public bool IsArmedBy(long arming) => Volatile.Read(ref _arming) == arming;

    public void Fire(long arming)
    {
        if (lane is null)
        {
            Invoke(arming);
        }
        else
        {
            lane.Post(() => Invoke(arming));
        }
    }

    public void Dispose()
    {
        _disposed = true;
        Volatile.Write(ref _arming, 0);

        // In this order: whoever still finds the callback has found what belongs to it.
        Volatile.Write(ref _callback, null);
        Volatile.Write(ref _state, null);
        Volatile.Write(ref _context, null);
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        return default;
    }

    private void Invoke(long arming)
    {
        // Stopped or set anew between falling due and running: a real timer would be as late, but a replay must not depend on it.
        if (!IsArmedBy(arming))
        {
            return;
        }

        Volatile.Write(ref _arming, _period > TimeSpan.Zero ? time.Arm(this, _period) : 0);
        var context = Volatile.Read(ref _context);
        var of = Volatile.Read(ref _state);
        if (Volatile.Read(ref _callback) is not { } call)
        {
            return;
        }

        if (context is null)
        {
            call(of);
        }
        else
        {
            ExecutionContext.Run(context, call.Invoke, of);
        }
    }
}
