using System.Globalization;

namespace Geo.Directory.Tests;

/// <summary>Whatever happens while clusters come and go, at most one of them has a grain; and each rule is needed for that.</summary>
public sealed class ConfigurationExplorationTests(ITestOutputHelper output)
{
    private const int Schedules = 20_000;

    [Fact]
    public void At_most_one_cluster_owns_a_grain_while_clusters_come_and_go() => Search(1, Schedules);

    /// <summary>As many schedules as <c>GEO_CONFIGURATION_SEEDS</c> says.</summary>
    [Fact(Explicit = true)]
    public void At_most_one_cluster_owns_a_grain_in_a_long_search() => Search(
        1_000_000,
        int.Parse(Environment.GetEnvironmentVariable("GEO_CONFIGURATION_SEEDS") ?? "1000000", CultureInfo.InvariantCulture));

    /// <summary>With the first schedule that misses it; <see cref="Finds_the_first_schedule_that_misses_a_rule"/> finds it anew.</summary>
    [Theory]
    [InlineData(nameof(ProtocolRule.BarrierIsAwaited), 60)]
    [InlineData(nameof(ProtocolRule.ChangeIsTwoSteps), 18)]
    [InlineData(nameof(ProtocolRule.LeaverIsDrained), 6064)]
    [InlineData(nameof(ProtocolRule.MembersOwn), 23511)]
    [InlineData(nameof(ProtocolRule.MembersOwn) + "+" + nameof(ProtocolRule.NewcomerIsFailed), 88)]
    [InlineData(nameof(ProtocolRule.LoserGivesUp), 10)]
    public void A_rule_that_is_off_is_missed(string rules, int first) => Assert.Equal(first, FirstMiss(rules, first, 1));

    /// <summary>Of the rules in <c>GEO_CONFIGURATION_RULES</c>, joined by "+".</summary>
    [Fact(Explicit = true)]
    public void Finds_the_first_schedule_that_misses_a_rule()
    {
        var rules = Environment.GetEnvironmentVariable("GEO_CONFIGURATION_RULES") ?? nameof(ProtocolRule.NewcomerIsFailed);
        output.WriteLine($"{rules}: {FirstMiss(rules, 1, 10 * Schedules)?.ToString(CultureInfo.InvariantCulture) ?? "none"}");
    }

    private int? FirstMiss(string rules, int first, int schedules)
    {
        SwitchedOff.Set([.. rules.Split('+').Select(Enum.Parse<ProtocolRule>)]);
        try
        {
            for (var seed = first; seed < first + schedules; seed++)
            {
                if (new ChangingClusters(seed).Run() is { } fault)
                {
                    output.WriteLine($"{rules} is missed by schedule {seed}: {fault}");
                    return seed;
                }
            }

            return null;
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    private void Search(int first, int schedules)
    {
        var (owned, versions) = (0, 0);
        for (var seed = first; seed < first + schedules; seed++)
        {
            var clusters = new ChangingClusters(seed);
            var fault = clusters.Run();
            Assert.True(fault is null, $"schedule {seed}: {fault}");
            (owned, versions) = (owned + Math.Min(1, clusters.Owned), versions + clusters.Versions - 1);
        }

        output.WriteLine($"{schedules} schedules, {owned} in which the grain had an owner, {versions} changes");
        Assert.True(owned > schedules / 2 && versions > schedules, $"{owned} with an owner, {versions} changes");
    }
}
