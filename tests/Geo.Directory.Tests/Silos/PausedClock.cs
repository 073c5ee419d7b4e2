namespace Geo.Directory.Tests.Silos;

/// <summary>The clocks of a machine that can be suspended, when only the wall clock goes on, and whose wall clock can be set.</summary>
internal sealed class PausedClock(TimeProvider time) : TimeProvider
{
    private TimeSpan _wall;
    private long? _paused;

    /// <summary>False for a process that stands still: its timers do not run.</summary>
    public bool HasTimers { get; init; } = true;

    public override long TimestampFrequency => time.TimestampFrequency;

    public void Pause() => _paused = time.GetTimestamp();

    public void SetWall(TimeSpan by) => _wall = by;

    public override long GetTimestamp() => _paused ?? time.GetTimestamp();

    public override DateTimeOffset GetUtcNow() => time.GetUtcNow() + _wall;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        time.CreateTimer(HasTimers ? callback : static _ => { }, state, dueTime, period);
}
