using Geo.Testing;

namespace Geo.Storage.Quorum.Tests;

/// <summary>
/// Each rule is there for something: without it, a schedule is found in which the register is none. Searched from the seed on that was
/// the first to find one. Here are the rules that one seed of some hundreds misses, however they change; others have tests that are
/// directed at them (<see cref="ForgottenKeyTests"/>, <see cref="LostStoreTests"/>, <see cref="KeeperChangeTests"/>,
/// <see cref="AcceptorOrderTests"/>).
/// </summary>
public sealed class QuorumMutationTests(ITestOutputHelper output)
{
    private const int MaxSeeds = 3000;

    private static readonly string[] Keys = ["a", "b"];

    [Theory]
    [InlineData(nameof(ProtocolRule.PromiseBinds), "three", 1)]
    [InlineData(nameof(ProtocolRule.MajorityDecides), "three", 1)]
    [InlineData(nameof(ProtocolRule.ReportIsDecided), "five", 1)]
    [InlineData(nameof(ProtocolRule.TagStays), "three", 20)]
    [InlineData(nameof(ProtocolRule.StepIsStored), "three", 34)]
    [InlineData(nameof(ProtocolRule.OneKeeperAtATime), "three that change", 10)]
    [InlineData(nameof(ProtocolRule.ListIsSettled), "three that change", 210)]
    [InlineData(nameof(ProtocolRule.EveryKeyIsWritten), "three that change", 38)]
    [InlineData(nameof(ProtocolRule.SurvivorsAllDecide), "six, three given up", 190)]
    public void A_rule_that_is_off_is_missed(string rule, string setting, int first)
    {
        SwitchedOff.Set([Enum.Parse<ProtocolRule>(rule)]);
        try
        {
            for (var seed = first; seed < first + MaxSeeds; seed++)
            {
                if (Fault(seed, setting) is { } fault)
                {
                    output.WriteLine($"{rule} is missed by seed {seed} of '{setting}': {fault}");
                    return;
                }
            }

            Assert.Fail($"{rule}: {MaxSeeds} seeds of '{setting}' found nothing");
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    private static string? Fault(int seed, string setting)
    {
        var world = new QuorumWorld(seed, QuorumSetting.All[setting]);
        try
        {
            world.Run(TimeSpan.FromSeconds(10), Keys);
        }
        catch (Exception e) when (e is Xunit.Sdk.XunitException or SimulationException)
        {
            // Something else is amiss without the rule; what counts is that the register is none.
            return null;
        }

        var verdict = world.Check();
        return verdict.Outcome == HistoryOutcome.Holds ? null : verdict.Explanation;
    }
}
