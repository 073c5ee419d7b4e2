using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Levels;

/// <summary>
/// Every seventh seed of <see cref="LatticeSimulation"/> runs sessions of one of the ten levels, and tells what they must not see.
/// </summary>
public sealed class LatticeSimulationTests
{
    [Fact]
    public void Sessions_of_each_of_the_ten_levels_are_run_and_a_seed_that_runs_again_ends_the_same()
    {
        var levels = new HashSet<string>();
        foreach (var seed in Sevenths(10))
        {
            var report = LatticeSimulation.Run(seed);
            levels.Add(report.Contents.Split(':')[0]);
            Assert.Equal(report.Hash, LatticeSimulation.Run(seed).Hash);
        }

        Assert.Equal(Enum.GetNames<ConsistencyLevel>().Order(), levels.Order());
    }

    [Fact]
    public void A_level_that_is_broken_fails_its_seed()
    {
        LatticeRules.SwitchOff(LatticeRule.Follow);
        try
        {
            var failure = Sevenths(500).Select(seed => Record.Exception(() => LatticeSimulation.Run(seed))).First(e => e is not null);
            Assert.Contains("at level", Assert.IsType<SimulationException>(failure).Message, StringComparison.Ordinal);
        }
        finally
        {
            LatticeRules.SwitchOff(null);
        }
    }

    // 3, 10, 17 ...: of 27 and its multiples other schedules run.
    private static IEnumerable<SimulationSeed> Sevenths(int count) =>
        Enumerable.Range(0, count).Select(i => (7 * i) + 3).Where(seed => seed % 27 != 0).Select(seed => new SimulationSeed(seed));
}
