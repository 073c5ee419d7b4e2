namespace Geo.Consistency;

/// <summary>Waits that double up to a bound, with jitter so that those who failed together do not come back together.</summary>
internal static class BackOff
{
    /// <summary>A time between half of and the whole of the doubled wait.</summary>
    internal static TimeSpan AfterFailures(int failures, TimeSpan first, TimeSpan maximum, Random random) =>
        Doubled(failures, first, maximum) * (0.5 + (random.NextDouble() / 2));

    /// <summary>A time between nothing and twice the doubled wait: contenders spread out as widely as possible.</summary>
    internal static TimeSpan AfterConflicts(int conflicts, TimeSpan first, TimeSpan maximum, Random random) =>
        Doubled(conflicts, first * 2, maximum) * random.NextDouble();

    private static TimeSpan Doubled(int times, TimeSpan first, TimeSpan maximum)
    {
        var wait = first * Math.Pow(2, Math.Min(times - 1, 30));
        return wait < maximum ? wait : maximum;
    }
}
