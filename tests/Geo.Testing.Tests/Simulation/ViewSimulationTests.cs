using Geo.Consistency;

namespace Geo.Testing.Tests;

/// <summary>Every checker on the histories of sessions, over views of every kind.</summary>
public class ViewSimulationTests(ITestOutputHelper output)
{
    private const int Seeds = 1000;
    private const int Enough = 300;

    // What must have happened in the seeds.
    private static readonly string[] Kinds =
    [
        "clusters that left", "leaders that were overtaken and came back", "lists of clusters refused", "lists of clusters rolled out",
        "messages between silos of a cluster lost",
        "networks that fell apart in another way", "row stores restored", "silos restarted in good order", "silos wrongly declared dead",
        "silos without a link of their own", "stores of versions set back", "stores that hang", "updates that cannot be written",
        "wall clocks that jump",
    ];

    [Fact]
    public void All_guarantees_hold_under_random_faults()
    {
        var (time, counts) = (TimeSpan.Zero, new SimulationCounts());
        for (var seed = 1; seed <= Seeds; seed++)
        {
            var report = ViewSimulation.Run(new SimulationSeed(seed));
            time += report.Time;
            counts.Add(report.Counts);
        }

        output.WriteLine($"{Seeds} seeds, {time} of virtual time: {counts}");
        Assert.True(counts.UpdatesConfirmed > 10 * Seeds && counts.Reads > 10 * Seeds, counts.ToString());
        Assert.All(Kinds, kind => Assert.True(counts.Faults.GetValueOrDefault(kind) > 0, kind));
    }

    [Fact]
    public void The_same_seed_gives_the_same_run() =>
        Assert.Equal(ViewSimulation.Run(new SimulationSeed(7)).TraceHash, ViewSimulation.Run(new SimulationSeed(7)).TraceHash);

    /// <summary>
    /// Seeds in which a session read an update before it was taken out, or refused, and wrote after it, or read after it was taken out in
    /// doubt. They were the first of some 10,000 that failed, each.
    /// </summary>
    [Theory]
    [InlineData(9078)]
    [InlineData(61015743)]
    [InlineData(61024455)]
    public void An_update_that_is_taken_out_or_refused_binds_nobody_though_a_tentative_read_has_shown_it(int seed) =>
        Assert.True(ViewSimulation.Run(new SimulationSeed(seed)).Counts.UpdatesConfirmed > 0);

    /// <summary>A cluster that leaves lost its memory and was started with the old list again, of which it was the only one.</summary>
    [Fact]
    public void Of_two_histories_after_a_start_with_an_old_list_one_is_lost() =>
        Assert.True(ViewSimulation.Run(new SimulationSeed(61015187)).Counts.UpdatesConfirmed > 0);

    [Fact]
    public void Sessions_that_keep_no_token_are_noticed() => Assert.Matches(
        "ReadYourWrites|MonotonicReads|MonotonicWrites|WritesFollowReads|Causal", FirstFailure(keepsSessions: false));

    /// <summary>
    /// The copy of a volatile grain with an instance in each cluster is no read replica: <c>NoOlderThan</c> bounds it, through all faults,
    /// and while wall clocks jump.
    /// </summary>
    [Fact]
    public void Reads_of_volatile_grains_that_ask_for_no_bound_are_noticed() => Assert.Matches(
        "reads (replicated|led|default)/1 without update [0-9]+, confirmed", FirstFailure(keepsBounds: false));

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

    [Fact]
    public void A_store_that_writes_whatever_the_etag_is_noticed() =>
        output.WriteLine(FirstFailure(breakState: store => new CarelessStore(store)));

    /// <param name="rule">The rule.</param>
    /// <param name="first">The first seed: without its majority seed 6 takes all memory there is.</param>
    [Theory]
    [InlineData(nameof(LeaderRule.Majority), 7)]
    [InlineData(nameof(LeaderRule.Owner), 1)]
    [InlineData(nameof(LeaderRule.Promise), 1)]
    [InlineData(nameof(LeaderRule.Newest), 1)]
    [InlineData(nameof(LeaderRule.Recovery), 1)]
    [InlineData(nameof(LeaderRule.Amnesia), 1)]
    [InlineData(nameof(LeaderRule.Fence), 1)]
    [InlineData(nameof(LeaderRule.Order), 1)]
    [InlineData(nameof(LeaderRule.Naming), 1)]
    [InlineData(nameof(LeaderRule.OldConfiguration), 1)]
    [InlineData(nameof(LeaderRule.FormerAreAsked), 1)]
    public void A_rule_of_the_leader_that_is_switched_off_is_noticed(string rule, int first)
    {
        LeaderRules.SwitchOff(Enum.Parse<LeaderRule>(rule));
        try
        {
            output.WriteLine(FirstFailure(first: first));
        }
        finally
        {
            LeaderRules.SwitchOff(null);
        }
    }

    private static string FirstFailure(
        bool keepsSessions = true, Func<IConditionalStore, IConditionalStore>? breakState = null, bool keepsBounds = true, int first = 1) =>
        Assert.Throws<SimulationException>(() =>
        {
            for (var seed = first; seed < first + Enough; seed++)
            {
                ViewSimulation.Run(new SimulationSeed(seed), keepsSessions, breakState, keepsBounds);
            }
        }).Message;
}
