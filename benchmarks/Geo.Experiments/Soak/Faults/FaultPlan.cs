namespace Geo.Experiments.Soak.Faults;

/// <summary>The faults of a run: the same for the same seed.</summary>
/// <remarks>
/// In each round every kind comes once, in an order drawn anew. After the first sixth of the run each region in turn is spared from being
/// killed for an equal part of the rest, so that the memory of each can be watched in one life.
/// </remarks>
internal static class FaultPlan
{
    private const int UnsparedPart = 6;
    private static readonly TimeSpan Calm = TimeSpan.FromSeconds(5);

    /// <summary>Makes the plan.</summary>
    /// <param name="seed">Decides about everything.</param>
    /// <param name="length">How long the run is. The last fault is over 5 s before its end.</param>
    /// <param name="regions">How many regions there are.</param>
    public static IReadOnlyList<Fault> Of(int seed, TimeSpan length, int regions)
    {
        var random = new Random(seed);
        var kinds = Enum.GetValues<FaultKind>();
        var faults = new List<Fault>();
        var free = new Dictionary<string, TimeSpan>();
        var at = Calm;
        while (true)
        {
            random.Shuffle(kinds);
            foreach (var kind in kinds)
            {
                var region = random.Next(regions);
                if (kind == FaultKind.Kill && SparedAt(at, length, regions) == region)
                {
                    region = (region + 1) % regions;
                }

                var fault = new Fault(kind, region, at, LengthOf(kind, random));
                var start = free.GetValueOrDefault(fault.Target) is var earliest && earliest > at ? earliest : at;
                fault = fault with { At = start };
                if (start + fault.For > length - Calm)
                {
                    return [.. faults.OrderBy(other => other.At)];
                }

                faults.Add(fault);
                free[fault.Target] = start + fault.For + Calm;
                at += Seconds(random, 4, 12);
            }
        }
    }

    /// <summary>How long each region lives at least, but for a fault at either end of that time.</summary>
    public static TimeSpan LifeIn(TimeSpan length, int regions) => (length - (length / UnsparedPart)) / regions;

    /// <summary>The region that no kill is planned for at a time; null where each may be killed.</summary>
    public static int? SparedAt(TimeSpan at, TimeSpan length, int regions)
    {
        var since = at - (length / UnsparedPart);
        return since < TimeSpan.Zero ? null : (int)(since / LifeIn(length, regions));
    }

    private static TimeSpan LengthOf(FaultKind kind, Random random) => kind switch
    {
        FaultKind.StoreRestart => Seconds(random, 0, 4),
        FaultKind.Freeze => Seconds(random, 1, 8),
        _ => Seconds(random, 2, 15),
    };

    private static TimeSpan Seconds(Random random, double least, double most) =>
        TimeSpan.FromSeconds(least + (random.NextDouble() * (most - least)));
}
