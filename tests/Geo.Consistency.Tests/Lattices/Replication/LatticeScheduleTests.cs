using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>Random updates, faults and restarts; all that is accepted by replicas that live comes to all of them.</summary>
public sealed class LatticeScheduleTests
{
    private const int Seeds = 1000;

    [Fact]
    public void Replicas_converge_under_loss_duplication_reordering_cuts_and_restarts()
    {
        foreach (var seed in SimulationSeed.FromEnvironment(Seeds))
        {
            var schedule = new LatticeSchedule(seed.Value);
            var violation = schedule.Run();
            Assert.True(violation is null, $"seed {seed}: {violation}");
        }
    }

    [Fact]
    public void With_stores_that_lose_and_hang_nothing_that_was_stored_is_lost_when_clusters_or_all_of_them_crash()
    {
        foreach (var seed in SimulationSeed.FromEnvironment(Seeds / 2))
        {
            var violation = new LatticeSchedule(seed.Value, isStored: true).Run();
            Assert.True(violation is null, $"seed {seed}: {violation}");
        }
    }

    [Theory]
    [InlineData(nameof(LatticeRule.Cursor))]
    [InlineData(nameof(LatticeRule.Repair))]
    [InlineData(nameof(LatticeRule.TrimAcknowledged))]
    [InlineData(nameof(LatticeRule.CollectStable))]
    [InlineData(nameof(LatticeRule.Holes))]
    public void Each_rule_is_missed_when_it_is_off(string rule)
    {
        LatticeRules.SwitchOff(Enum.Parse<LatticeRule>(rule));
        try
        {
            for (var seed = 1; seed <= Seeds; seed++)
            {
                if (new LatticeSchedule(seed).Run() is not null)
                {
                    TestContext.Current.TestOutputHelper?.WriteLine($"{rule} is missed at seed {seed}");
                    return;
                }
            }
        }
        finally
        {
            LatticeRules.SwitchOff(null);
        }

        Assert.Fail($"Nothing notices that {rule} is off.");
    }
}
