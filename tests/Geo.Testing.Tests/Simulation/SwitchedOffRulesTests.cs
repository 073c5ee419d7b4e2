namespace Geo.Testing.Tests;

/// <summary>Each rule of the protocols, switched off alone, is missed within so many seeds: what the simulation would not notice it does not prove.</summary>
public class SwitchedOffRulesTests(ITestOutputHelper output)
{
    private const int WithinSeeds = 300;

    // Not missed by random seeds so far: these need a schedule of their own.
    private static readonly ProtocolRule[] Unproven =
        [ProtocolRule.DoubtIsJoined, ProtocolRule.LookAgain, ProtocolRule.LeaseIsHeld, ProtocolRule.FenceIsAwaited];

    public static TheoryData<string> Rules =>
        [.. Enum.GetValues<ProtocolRule>().Except(Unproven).Where(r => r != ProtocolRule.None).Select(r => r.ToString())];

    [Theory]
    [MemberData(nameof(Rules))]
    public void A_rule_that_is_switched_off_is_missed(string name)
    {
        var rule = Enum.Parse<ProtocolRule>(name);
        var options = new MultiClusterSimulationOptions { SwitchOff = rule, Silos = 1 };
        for (var seed = 1; seed <= WithinSeeds; seed++)
        {
            try
            {
                MultiClusterSimulation.Run(new SimulationSeed(seed), options);
            }
            catch (SimulationException e)
            {
                output.WriteLine($"{rule}: {e.Message[..Math.Min(300, e.Message.Length)]}");
                return;
            }
        }

        Assert.Fail($"Without {rule} no seed of {WithinSeeds} broke anything.");
    }
}
