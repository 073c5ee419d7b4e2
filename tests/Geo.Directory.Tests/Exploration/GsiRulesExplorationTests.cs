using System.Diagnostics;

namespace Geo.Directory.Tests;

/// <summary>Propositions 3.1 and 3.2 of the GEO paper in every reachable state, and proof that the exploration would notice a broken rule.</summary>
public sealed class GsiRulesExplorationTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(2, 3, true)]
    [InlineData(3, 2, false)]
    public void At_most_one_cluster_owns_a_grain_even_when_messages_are_lost_late_or_repeated(int clusters, int rounds, bool keepLateReplies)
    {
        var model = new GsiModel(ModelRules.Real, clusters, rounds, mayLose: true, keepLateReplies);
        Report("Prop. 3.1", clusters, rounds, () => Explorer.Explore(model, s => model.Owners(s) <= 1));
    }

    [Theory]
    [InlineData(2, 3, true)]
    [InlineData(3, 2, false)]
    public void At_most_one_cluster_has_an_instance_when_no_message_is_lost(int clusters, int rounds, bool keepLateReplies)
    {
        var model = new GsiModel(ModelRules.Real, clusters, rounds, mayLose: false, keepLateReplies);
        Report("Prop. 3.2", clusters, rounds, () => Explorer.Explore(model, s => model.Instances(s) <= 1));
    }

    public static TheoryData<string> BrokenRules => new(Broken.Keys);

    private static Dictionary<string, ModelRules> Broken { get; } = new()
    {
        ["a loser keeps its round"] = ModelRules.WithoutLoser,
        ["a decision is stored without compare-and-swap"] = ModelRules.WithoutCompareAndSwap,
        ["replies are not matched to their round"] = ModelRules.WithoutRoundIds,
        ["a doubtful entry that is tried again answers Pass"] = ModelRules.WithRerunAsDoubtful,
        ["an overdue round is passed over without cancelling it"] = ModelRules.WithRecoveryNotStored,
    };

    [Theory]
    [MemberData(nameof(BrokenRules))]
    public void The_exploration_finds_two_owners_when_a_rule_is_broken(string broken)
    {
        var model = new GsiModel(Broken[broken], clusters: 2, rounds: 2, mayLose: true, keepLateReplies: true);

        var (states, violation) = Explorer.Explore(model, s => model.Owners(s) <= 1);

        output.WriteLine($"{broken}: {states} states until");
        Assert.NotNull(violation);
        foreach (var step in violation)
        {
            output.WriteLine($"  {step}");
        }
    }

    private void Report(string proposition, int clusters, int rounds, Func<(int States, IReadOnlyList<string>? Violation)> explore)
    {
        var watch = Stopwatch.StartNew();
        var (states, violation) = explore();
        var line = $"{proposition}: {clusters} clusters, {rounds} rounds each: {states} states in {watch.Elapsed.TotalSeconds:0.0} s";
        output.WriteLine(line);
        Console.WriteLine(line);
        Assert.True(violation is null, violation is null ? "" : string.Join(Environment.NewLine, violation));
        Assert.True(states > 1000, "So few states cannot be all.");
    }
}
