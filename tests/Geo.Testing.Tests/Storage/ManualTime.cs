namespace Geo.Testing.Tests.Storage;

/// <summary>Time that moves when a test says so.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<ManualTimer> _timers = [];
    private TimeSpan _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp()
    {
        lock (_lock)
        {
            return _now.Ticks;
        }
    }

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch.AddTicks(GetTimestamp());

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Moves on, and fires what is due in order.</summary>
    public void Advance(TimeSpan by)
    {
        var end = new TimeSpan(GetTimestamp()) + by;
        while (NextBefore(end) is { } timer)
        {
            timer.Callback();
        }

        lock (_lock)
        {
            _now = end;
        }
    }

    /// <summary>Waits until so many timers are armed.</summary>
    public async Task ArmedAsync(int timers)
    {
        using var deadline = new CancellationTokenSource(TimeSpan.FromSeconds(10));
        while (Armed() < timers)
        {
            deadline.Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }

    private int Armed()
    {
        lock (_lock)
        {
            return _timers.Count;
        }
    }

    private ManualTimer? NextBefore(TimeSpan end)
    {
        lock (_lock)
        {
            var next = _timers.MinBy(t => t.Due);
            if (next is null || next.Due > end)
            {
                return null;
            }

            _timers.Remove(next);
            _now = next.Due > _now ? next.Due : _now;
            return next;
        }
    }

    private sealed class ManualTimer(ManualTime time, Action callback) : ITimer
    {
        public TimeSpan Due { get; private set; }

        public Action Callback { get; } = callback;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._lock)
            {
                time._timers.Remove(this);
                if (dueTime != Timeout.InfiniteTimeSpan)
                {
                    Due = time._now + dueTime;
                    time._timers.Add(this);
                }

                return true;
            }
        }

        public void Dispose() => Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
