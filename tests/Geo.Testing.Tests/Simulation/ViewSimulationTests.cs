using Geo.Consistency;

namespace Geo.Testing.Tests;

/// <summary>Every checker on the histories of sessions, over views of every kind.</summary>
public class ViewSimulationTests(ITestOutputHelper output)
{
    private const int Few = 120;
    private const int Enough = 300;

    [Fact]
    public void All_guarantees_hold_under_random_faults()
    {
        var (time, updates, reads) = (TimeSpan.Zero, 0L, 0L);
        for (var seed = 1; seed <= Few; seed++)
        {
            var report = ViewSimulation.Run(new SimulationSeed(seed));
            time += report.Time;
            updates += report.Counts.UpdatesConfirmed;
            reads += report.Counts.Reads;
        }

        output.WriteLine($"{Few} seeds, {time} of virtual time, {updates} updates confirmed, {reads} reads");
        Assert.True(updates > 20 * Few && reads > 20 * Few, $"{updates} updates, {reads} reads");
    }

    [Fact]
    public void The_same_seed_gives_the_same_run() =>
        Assert.Equal(ViewSimulation.Run(new SimulationSeed(7)).TraceHash, ViewSimulation.Run(new SimulationSeed(7)).TraceHash);

    [Fact]
    public void Sessions_that_keep_no_token_are_noticed() => Assert.Matches(
        "ReadYourWrites|MonotonicReads|MonotonicWrites|WritesFollowReads|Causal", FirstFailure(keepsSessions: false));

    [Theory]
    [InlineData(nameof(CasRule.Landed))]
    [InlineData(nameof(CasRule.Sequence))]
    [InlineData(nameof(CasRule.Stamp))]
    [InlineData(nameof(CasRule.Condition))]
    public void A_rule_of_batching_that_is_switched_off_is_noticed(string rule)
    {
        CasRules.SwitchOff(Enum.Parse<CasRule>(rule));
        try
        {
            output.WriteLine(FirstFailure());
        }
        finally
        {
            CasRules.SwitchOff(null);
        }
    }

    [Theory]
    [InlineData(nameof(LeaderRule.Majority))]
    [InlineData(nameof(LeaderRule.Owner))]
    [InlineData(nameof(LeaderRule.Promise))]
    [InlineData(nameof(LeaderRule.Newest))]
    [InlineData(nameof(LeaderRule.Recovery))]
    public void A_rule_of_the_leader_that_is_switched_off_is_noticed(string rule)
    {
        LeaderRules.SwitchOff(Enum.Parse<LeaderRule>(rule));
        try
        {
            output.WriteLine(FirstFailure());
        }
        finally
        {
            LeaderRules.SwitchOff(null);
        }
    }

    private static string FirstFailure(bool keepsSessions = true) => Assert.Throws<SimulationException>(() =>
    {
        for (var seed = 1; seed <= Enough; seed++)
        {
            ViewSimulation.Run(new SimulationSeed(seed), keepsSessions);
        }
    }).Message;
}
