namespace Geo.Testing.Storage;

/// <summary>How long round trips take. Safe for use by several threads; one seed gives one sequence.</summary>
public sealed class LatencyDistribution
{
    private readonly Func<TimeSpan> _next;

    private LatencyDistribution(Func<TimeSpan> next) => _next = next;

    /// <summary>Always the same.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public static LatencyDistribution Fixed(TimeSpan roundTrip)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(roundTrip, TimeSpan.Zero);
        return new LatencyDistribution(() => roundTrip);
    }

    /// <summary>Anything between two bounds, equally likely.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The least is negative or over the most.</exception>
    public static LatencyDistribution Uniform(TimeSpan least, TimeSpan most, Random random)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(least, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(most, least);
        ArgumentNullException.ThrowIfNull(random);
        return Locked(random, () => least + ((most - least) * random.NextDouble()));
    }

    /// <summary>A least time and an exponential tail, as networks and disks show it.</summary>
    /// <param name="least">The shortest round trip.</param>
    /// <param name="meanTail">The mean of what comes on top.</param>
    /// <param name="random">The source of randomness.</param>
    /// <exception cref="ArgumentOutOfRangeException">One of the times is negative.</exception>
    public static LatencyDistribution WithTail(TimeSpan least, TimeSpan meanTail, Random random)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(least, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(meanTail, TimeSpan.Zero);
        ArgumentNullException.ThrowIfNull(random);
        return Locked(random, () => least + (meanTail * -Math.Log(1 - random.NextDouble())));
    }

    /// <summary>The next round trip.</summary>
    public TimeSpan Next() => _next();

    private static LatencyDistribution Locked(Random random, Func<TimeSpan> next) => new(() =>
    {
        lock (random)
        {
            return next();
        }
    });
}
