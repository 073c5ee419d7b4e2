namespace Geo.Orleans;

/// <summary>
/// The clocks of a lease, both read twice on every call: the wall clock, and the machine's monotonic clock as it was at the system's last
/// tick, which costs a fraction of the exact one.
/// </summary>
/// <remarks>
/// It lags by <see cref="Lag"/> at most: where the wall clock has been set back meanwhile, and only then, a lease ends so much late.
/// Whoever fences a silo off waits a tenth longer than its lease lasts.
/// </remarks>
internal sealed class CoarseTime : TimeProvider
{
    private static readonly CoarseTime OfSystem = new();

    // Of their margin the lag takes a sixth then.
    private static readonly TimeSpan ShortestLease = TimeSpan.FromSeconds(1);

    private CoarseTime()
    {
    }

    /// <summary>The longest time between two ticks of the systems that .NET runs on; more where a machine's own host stops it.</summary>
    public static TimeSpan Lag { get; } = TimeSpan.FromMilliseconds(16);

    /// <summary>A tick a millisecond.</summary>
    public override long TimestampFrequency => 1000;

    /// <summary>The clocks for a lease: a clock that is not the system's, and those of a short lease, stay as they are.</summary>
    public static TimeProvider For(TimeProvider time, TimeSpan lease) => time == System && lease >= ShortestLease ? OfSystem : time;

    public override long GetTimestamp() => Environment.TickCount64;
}
