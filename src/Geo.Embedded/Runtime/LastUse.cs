namespace Geo.Embedded;

/// <summary>When a grain was last used, and until when it counts as used. Not thread-safe: its turns lock.</summary>
internal struct LastUse(TimeProvider time)
{
    private long _at = time.GetTimestamp();
    private long _keptUntil;

    /// <summary>It is used now.</summary>
    public void Renew() => _at = time.GetTimestamp();

    /// <summary>It counts as used for a time from now; zero or less takes that back.</summary>
    public void KeepFor(TimeSpan wait) => _keptUntil = wait > TimeSpan.Zero ? Later(time.GetTimestamp(), wait) : 0;

    /// <summary>True when its last use is at least so long ago.</summary>
    public readonly bool IsPast(TimeSpan idle)
    {
        var now = time.GetTimestamp();
        return now >= _keptUntil && now >= Later(_at, idle);
    }

    private readonly long Later(long timestamp, TimeSpan wait)
    {
        var ticks = wait.TotalSeconds * time.TimestampFrequency;
        return ticks < long.MaxValue - timestamp ? timestamp + (long)ticks : long.MaxValue;
    }
}
