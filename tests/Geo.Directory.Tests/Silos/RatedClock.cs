namespace Geo.Directory.Tests.Silos;

/// <summary>The clocks of a machine that run faster, or slower, than time does.</summary>
internal sealed class RatedClock(TimeProvider time, double rate) : TimeProvider
{
    private readonly long _start = time.GetTimestamp();
    private readonly DateTimeOffset _wall = time.GetUtcNow();

    public override long TimestampFrequency => time.TimestampFrequency;

    public override long GetTimestamp() => _start + (long)((time.GetTimestamp() - _start) * rate);

    public override DateTimeOffset GetUtcNow() => _wall + ((time.GetUtcNow() - _wall) * rate);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new RatedTimer(time.CreateTimer(callback, state, ToTime(dueTime), ToTime(period)), this);

    private TimeSpan ToTime(TimeSpan shown) => shown == Timeout.InfiniteTimeSpan ? shown : shown / rate;

    private sealed class RatedTimer(ITimer timer, RatedClock clock) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => timer.Change(clock.ToTime(dueTime), clock.ToTime(period));

        public void Dispose() => timer.Dispose();

        public ValueTask DisposeAsync() => timer.DisposeAsync();
    }
}
