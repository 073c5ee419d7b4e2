namespace Geo.Testing;

/// <summary>
/// Time that stands still until it is advanced. <c>Task.Delay(d, time)</c>, <c>new CancellationTokenSource(d, time)</c>,
/// <c>task.WaitAsync(d, time)</c> and timers run on it.
/// </summary>
/// <remarks>
/// <para>
/// Timers fire in the order of the time they are due, then in the order they were set, one after another, each with the clock standing
/// at the very time it was due. A timer that was made in a step of a <see cref="SimulationLane"/> fires as a step of that lane (and never,
/// once the lane is halted), whatever task scheduler the step was running; any other fires on the thread that advances the time, before the
/// advancing call returns.
/// </para>
/// <para>Safe to use from several threads, except that only one may advance it at a time.</para>
/// </remarks>
public sealed class VirtualTime : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly PriorityQueue<(VirtualTimer Timer, long Arming), (long Due, long Order)> _armed = new();
    private readonly long _start;
    private long _now;
    private long _lastArming;

    /// <summary>Creates a clock that stands at a given time.</summary>
    /// <param name="start">The time; the beginning of 2030, UTC, when null, so that no run depends on when it was started.</param>
    public VirtualTime(DateTimeOffset? start = null) =>
        _start = _now = (start ?? new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero)).UtcTicks;

    /// <summary>How far the clock has been advanced.</summary>
    public TimeSpan Elapsed => TimeSpan.FromTicks(GetTimestamp() - _start);

    /// <inheritdoc/>
    public override TimeZoneInfo LocalTimeZone => TimeZoneInfo.Utc;

    /// <summary>10,000,000: a timestamp counts ticks of 100 ns.</summary>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>Called before a timer is set; the scheduler's guard against foreign threads.</summary>
    internal Action? BeforeArming { get; set; }

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow() => new(GetTimestamp(), TimeSpan.Zero);

    /// <inheritdoc/>
    public override long GetTimestamp() => Volatile.Read(ref _now);

    /// <inheritdoc/>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var timer = new VirtualTimer(this, callback, state, SimulationLane.Running, ExecutionContext.Capture());
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Moves the clock to the next timer and fires that one timer.</summary>
    /// <returns>False when no timer is set; the clock then stays where it is.</returns>
    public bool AdvanceToNextTimer() => FireNext(long.MaxValue);

    /// <summary>Moves the clock forward and fires every timer that falls due on the way, those included that are set on the way.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The duration is negative.</exception>
    public void Advance(TimeSpan duration)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(duration, TimeSpan.Zero);
        var until = GetTimestamp() + duration.Ticks;
        while (FireNext(until))
        {
        }

        lock (_lock)
        {
            Volatile.Write(ref _now, Math.Max(_now, until));
        }
    }

    /// <summary>
    /// Calls an action once, later, on the thread that advances the time: for what belongs to no lane, such as a network.
    /// </summary>
    internal void Schedule(TimeSpan delay, Action action) =>
        new VirtualTimer(this, static call => ((Action)call!)(), action, lane: null, context: null).Change(delay, Timeout.InfiniteTimeSpan);

    internal long Arm(VirtualTimer timer, TimeSpan dueTime)
    {
        BeforeArming?.Invoke();
        lock (_lock)
        {
            var arming = ++_lastArming;
            _armed.Enqueue((timer, arming), (_now + Math.Max(0, dueTime.Ticks), arming));
            return arming;
        }
    }

    private bool FireNext(long until)
    {
        while (true)
        {
            VirtualTimer timer;
            long arming;
            lock (_lock)
            {
                if (!_armed.TryPeek(out var next, out var at))
                {
                    return false;
                }

                if (!next.Timer.IsArmedBy(next.Arming))
                {
                    _armed.Dequeue();
                    continue;
                }

                if (at.Due > until)
                {
                    return false;
                }

                _armed.Dequeue();
                Volatile.Write(ref _now, Math.Max(_now, at.Due));
                (timer, arming) = next;
            }

            timer.Fire(arming);
            return true;
        }
    }
}
