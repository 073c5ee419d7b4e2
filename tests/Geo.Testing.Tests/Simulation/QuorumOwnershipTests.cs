using System.Globalization;

namespace Geo.Testing.Tests;

/// <summary>
/// The standard simulation with grains that are owned by majority: never two instances that serve, epochs that only grow, no confirmed
/// update lost, linearizable histories, and every call answered once all has healed.
/// </summary>
public sealed class QuorumOwnershipTests(ITestOutputHelper output)
{
    // More than finds any of the rules below.
    private const int MaxSeeds = 300;

    private static readonly MultiClusterSimulationOptions Quorum = new() { OwnsByQuorum = true };

    private static readonly int Seeds =
        int.Parse(Environment.GetEnvironmentVariable("GEO_QUORUM_SEEDS") ?? "100", CultureInfo.InvariantCulture);

    [Fact]
    public void Every_seed_holds_every_invariant()
    {
        var total = new SimulationCounts();
        var failures = new List<string>();
        for (var seed = 1; seed <= Seeds; seed++)
        {
            try
            {
                total.Add(MultiClusterSimulation.Run(new SimulationSeed(seed), Quorum).Counts);
            }
            catch (SimulationException e)
            {
                failures.Add(e.Message);
            }
        }

        output.WriteLine(total.ToString());
        Assert.True(failures.Count == 0, $"{failures.Count} of {Seeds} seeds failed:\n{string.Join('\n', failures.Take(10))}");
        Assert.True(total.UpdatesConfirmed > 10 * Seeds, total.ToString());
    }

    [Theory]
    [InlineData(nameof(ProtocolRule.LeaseIsHeld))]
    [InlineData(nameof(ProtocolRule.SilenceIsAwaited))]
    [InlineData(nameof(ProtocolRule.OwnerIsCompared))]
    [InlineData(nameof(ProtocolRule.OverIsAwaited))]
    [InlineData(nameof(ProtocolRule.EpochGrows))]
    public void A_rule_that_is_off_is_missed(string rule)
    {
        for (var seed = 1; seed <= MaxSeeds; seed++)
        {
            try
            {
                MultiClusterSimulation.Run(new SimulationSeed(seed), Quorum with { SwitchOff = [Enum.Parse<ProtocolRule>(rule)] });
            }
            catch (SimulationException e) when (
                e.Message.Contains("is quorum and has instances", StringComparison.Ordinal)
                || e.Message.Contains("has two instances in one cluster", StringComparison.Ordinal)
                || e.Message.Contains("after epoch", StringComparison.Ordinal))
            {
                output.WriteLine($"{rule} is missed by seed {seed}: {e.Message}");
                return;
            }
            catch (SimulationException)
            {
                // Something else comes of it as well.
            }
        }

        Assert.Fail($"{rule}: {MaxSeeds} seeds found nothing");
    }
}
