using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>A timer of one activation.</summary>
internal sealed class ActivationTimer : IGrainTimer
{
    private readonly ActivationTimers _owner;
    private readonly GrainTimerCreationOptions _options;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stopping = new();
    private readonly Lock _gate = new();
    private readonly ITimer _timer;
    private TimeSpan _period;
    private bool _isTicking;

    public ActivationTimer(
        ActivationTimers owner, Func<CancellationToken, Task> callback, GrainTimerCreationOptions options, TimeProvider time,
        ILogger logger)
    {
        Check(options.DueTime, options.Period);
        _owner = owner;
        _options = options;
        _logger = logger;
        _period = options.Period;
        Callback = callback;
        Stopping = _stopping.Token;
        _timer = time.CreateTimer(static self => ((ActivationTimer)self!).Due(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _timer.Change(options.DueTime, Timeout.InfiniteTimeSpan);
    }

    /// <summary>What a tick does.</summary>
    public Func<CancellationToken, Task> Callback { get; }

    /// <summary>Set when the timer is disposed.</summary>
    public CancellationToken Stopping { get; }

    /// <summary>True when the timer ticks no more.</summary>
    public bool IsDisposed => Stopping.IsCancellationRequested;

    public void Change(TimeSpan dueTime, TimeSpan period)
    {
        Check(dueTime, period);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(IsDisposed, this);
            _period = period;
            _timer.Change(dueTime, Timeout.InfiniteTimeSpan);
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            if (IsDisposed)
            {
                return;
            }

            _timer.Dispose();
        }

        _stopping.Cancel();
        _owner.Forget(this);
    }

    /// <summary>A tick is over: the period until the next begins.</summary>
    public void TickEnded()
    {
        lock (_gate)
        {
            _isTicking = false;
            if (!IsDisposed && _period > TimeSpan.Zero)
            {
                _timer.Change(_period, Timeout.InfiniteTimeSpan);
            }
        }
    }

    /// <summary>The period is first used after a tick, when nobody hears any more that it is too long.</summary>
    private static void Check(TimeSpan dueTime, TimeSpan period)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(dueTime, LongestWait.Limit);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(period, LongestWait.Limit);
    }

    private void Due()
    {
        lock (_gate)
        {
            if (IsDisposed || _isTicking)
            {
                return;
            }

            _isTicking = true;
        }

        _owner.Activation.Accept(new TimerTick(this, _owner.Activation.Key, _logger), _options.Interleave, _options.KeepAlive);
    }
}
