namespace Geo.Experiments.Soak.Faults;

/// <summary>The faults of a run: the same for the same seed.</summary>
/// <remarks>
/// In each round every kind comes once, in an order drawn anew. The first region is killed in the first third only, so that for the rest of
/// the run its memory can be watched in one life.
/// </remarks>
internal static class FaultPlan
{
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
                var isKillOfOther = kind == FaultKind.Kill && at > length / 3;
                var fault = new Fault(kind, random.Next(isKillOfOther ? 1 : 0, regions), at, LengthOf(kind, random));
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

    private static TimeSpan LengthOf(FaultKind kind, Random random) => kind switch
    {
        FaultKind.StoreRestart => Seconds(random, 0, 4),
        FaultKind.Freeze => Seconds(random, 1, 8),
        _ => Seconds(random, 2, 15),
    };

    private static TimeSpan Seconds(Random random, double least, double most) =>
        TimeSpan.FromSeconds(least + (random.NextDouble() * (most - least)));
}
