namespace Geo;

/// <summary>
/// Waits that double up to a bound, with jitter so that those who failed together do not come back together. Drawn from the caller's random
/// source, one number a wait: a simulation that gives it a seed gets the same waits again.
/// </summary>
/// <remarks>
/// The one rule for all packages. Where a loop around an operation is left to Polly (the dialling of peers), Polly asks here how long to
/// wait; where rules that must not wait themselves decide, they take the time from here.
/// </remarks>
internal static class BackOff
{
    private const int MaxDoublings = 30;

    /// <summary>A time between half of and the whole of the doubled wait.</summary>
    /// <param name="failures">How often it has failed, from 1.</param>
    /// <param name="first">The wait after the first failure.</param>
    /// <param name="maximum">The longest wait.</param>
    /// <param name="random">Where the jitter comes from.</param>
    public static TimeSpan AfterFailures(int failures, TimeSpan first, TimeSpan maximum, Random random) =>
        Doubled(failures, first, maximum) * (0.5 + (random.NextDouble() / 2));

    /// <summary>A time between nothing and the doubled wait: contenders spread out as widely as possible.</summary>
    /// <param name="conflicts">How often others were faster, from 1.</param>
    /// <param name="first">The longest wait after the first time.</param>
    /// <param name="maximum">The longest wait.</param>
    /// <param name="random">Where the jitter comes from.</param>
    public static TimeSpan AfterConflicts(int conflicts, TimeSpan first, TimeSpan maximum, Random random) =>
        Doubled(conflicts, first, maximum) * random.NextDouble();

    /// <summary>About as long as somebody else needs who was faster: between half of that and one and a half.</summary>
    /// <param name="needed">How long that one needs.</param>
    /// <param name="random">Where the jitter comes from.</param>
    public static TimeSpan For(TimeSpan needed, Random random) => needed * (0.5 + random.NextDouble());

    /// <summary>The wait itself, without jitter.</summary>
    public static TimeSpan Doubled(int times, TimeSpan first, TimeSpan maximum)
    {
        var wait = first * Math.Pow(2, Math.Min(times - 1, MaxDoublings));
        return wait < maximum ? wait : maximum;
    }
}
