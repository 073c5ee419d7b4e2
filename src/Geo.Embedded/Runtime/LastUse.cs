namespace Geo.Embedded;

/// <summary>When a grain was last used, and until when it counts as used. Not thread-safe: its turns lock.</summary>
/// <remarks>It is given the clock each time, always the same one, so that it is small.</remarks>
internal struct LastUse(TimeProvider time)
{
    private long _at = time.GetTimestamp();
    private long _keptUntil;

    /// <summary>It is used now.</summary>
    public void Renew(TimeProvider time) => _at = time.GetTimestamp();

    /// <summary>It counts as used for a time from now; zero or less takes that back.</summary>
    public void KeepFor(TimeSpan wait, TimeProvider time) =>
        _keptUntil = wait > TimeSpan.Zero ? Later(time.GetTimestamp(), wait, time) : 0;

    /// <summary>True when its last use is at least so long ago.</summary>
    public readonly bool IsPast(TimeSpan idle, TimeProvider time)
    {
        var now = time.GetTimestamp();
        return now >= _keptUntil && now >= Later(_at, idle, time);
    }

    private static long Later(long timestamp, TimeSpan wait, TimeProvider time)
    {
        var ticks = wait.TotalSeconds * time.TimestampFrequency;
        return ticks < long.MaxValue - timestamp ? timestamp + (long)ticks : long.MaxValue;
    }
}
