namespace Geo.Directory.Tests.Silos;

/// <summary>The clocks of a lease: the monotonic one is read as it was at the last tick, in other units and from another moment.</summary>
internal sealed class CoarseClock(TimeProvider time) : TimeProvider
{
    private const long Tick = 16;

    private readonly long _origin = time.GetTimestamp() - (time.TimestampFrequency * 1000);

    public override long TimestampFrequency => 1000;

    public override long GetTimestamp() => (long)time.GetElapsedTime(_origin).TotalMilliseconds / Tick * Tick;

    public override DateTimeOffset GetUtcNow() => time.GetUtcNow();

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        time.CreateTimer(callback, state, dueTime, period);
}
