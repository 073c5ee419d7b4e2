namespace Geo.Messaging.Tests;

/// <summary>A clock that moves only when the test says so; timers fire in order on the thread that moves it.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<Timer> _timers = [];
    private long _now = TimeSpan.TicksPerDay;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _now);

    public override DateTimeOffset GetUtcNow() => new(GetTimestamp(), TimeSpan.Zero);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    public void Advance(TimeSpan by)
    {
        var until = GetTimestamp() + by.Ticks;
        while (true)
        {
            Timer? next;
            lock (_lock)
            {
                next = _timers.Where(timer => timer.Due <= until).MinBy(timer => timer.Due);
                Interlocked.Exchange(ref _now, next is null ? until : Math.Max(_now, next.Due));
                if (next is null)
                {
                    return;
                }

                next.Rearm();
            }

            next.Fire();
        }
    }

    private sealed class Timer(ManualTime owner, Action fire) : ITimer
    {
        private TimeSpan _period;

        public long Due { get; private set; } = long.MaxValue;

        public void Fire() => fire();

        public void Rearm() => Due = _period > TimeSpan.Zero ? Due + _period.Ticks : long.MaxValue;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (owner._lock)
            {
                _period = period;
                Due = dueTime < TimeSpan.Zero ? long.MaxValue : owner._now + dueTime.Ticks;
                owner._timers.Remove(this);
                owner._timers.Add(this);
            }

            return true;
        }

        public void Dispose()
        {
            lock (owner._lock)
            {
                owner._timers.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
