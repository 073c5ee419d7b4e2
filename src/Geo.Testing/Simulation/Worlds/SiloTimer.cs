namespace Geo.Testing;

/// <summary>A timer by a <see cref="SiloClock"/>: fires no sooner than that clock says, however long it has stood still.</summary>
internal sealed class SiloTimer : ITimer
{
    private readonly SiloClock _clock;
    private readonly TimerCallback _callback;
    private readonly object? _state;
    private readonly ITimer _timer;
    private TimeSpan _period;
    private long _due;

    public SiloTimer(SiloClock clock, VirtualTime time, TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        (_clock, _callback, _state) = (clock, callback, state);
        _timer = time.CreateTimer(static self => ((SiloTimer)self!).Fire(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        Change(dueTime, period);
    }

    public bool Change(TimeSpan dueTime, TimeSpan period)
    {
        _period = period;
        _due = _clock.GetTimestamp() + Math.Max(0, dueTime.Ticks);
        return _timer.Change(dueTime, Timeout.InfiniteTimeSpan);
    }

    public void Dispose() => _timer.Dispose();

    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    private void Fire()
    {
        var early = _due - _clock.GetTimestamp();
        if (early > 0)
        {
            _timer.Change(TimeSpan.FromTicks(early), Timeout.InfiniteTimeSpan);
            return;
        }

        if (_period > TimeSpan.Zero)
        {
            Change(_period, _period);
        }

        _callback(_state);
    }
}
