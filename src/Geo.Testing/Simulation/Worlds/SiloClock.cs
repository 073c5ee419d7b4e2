namespace Geo.Testing;

/// <summary>
/// The clock of one silo: the simulation's, but for what is wrong with the machine. Its wall clock may be off, and its monotonic clock may
/// have stood still while the machine was suspended: timers that were set before are then late by as much.
/// </summary>
/// <param name="time">The simulation's clock.</param>
public sealed class SiloClock(VirtualTime time) : TimeProvider
{
    private long _stood;
    private long? _stoppedAt;

    /// <summary>How far the wall clock is ahead; negative when it is behind. Zero at first.</summary>
    public TimeSpan Skew
    {
        get;
        set
        {
            field = value;
            HasDiffered |= value != TimeSpan.Zero;
        }
    }

    /// <summary>Whether the wall clock has ever been off.</summary>
    internal bool HasDiffered { get; private set; }

    /// <inheritdoc/>
    public override TimeZoneInfo LocalTimeZone => time.LocalTimeZone;

    /// <inheritdoc/>
    public override long TimestampFrequency => time.TimestampFrequency;

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow() => time.GetUtcNow() + Skew;

    /// <inheritdoc/>
    public override long GetTimestamp() => (_stoppedAt ?? time.GetTimestamp()) - _stood;

    /// <inheritdoc/>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new SiloTimer(this, time, callback, state, dueTime, period);

    /// <summary>Lets the monotonic clock stand still, as on a suspended machine; freeze the silo, too.</summary>
    internal void Stop() => _stoppedAt ??= time.GetTimestamp();

    /// <summary>The monotonic clock goes on from where it stood.</summary>
    internal void GoOn()
    {
        if (_stoppedAt is { } at)
        {
            _stood += time.GetTimestamp() - at;
            _stoppedAt = null;
        }
    }
}
