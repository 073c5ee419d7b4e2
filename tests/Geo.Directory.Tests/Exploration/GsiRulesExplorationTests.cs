using System.Diagnostics;

namespace Geo.Directory.Tests;

/// <summary>
/// Propositions 3.1 and 3.2 of the GEO paper, and what Geo adds to them for Doubtful instances, in every reachable state; and proof that
/// the exploration would notice a broken rule. With GEO_LONG=1 the larger models too.
/// </summary>
public sealed class GsiRulesExplorationTests(ITestOutputHelper output)
{
    public static TheoryData<int, bool, bool> Models => Long(
        new TheoryData<int, bool, bool> { { 2, true, false }, { 3, false, false }, { 4, false, true } }, (4, false, false));

    [Theory]
    [MemberData(nameof(Models))]
    public void At_most_one_cluster_owns_a_grain_even_when_messages_are_lost_late_or_repeated(
        int clusters, bool keepLateReplies, bool losersAreInvalid)
    {
        Prove(
            "Prop. 3.1",
            new() { Clusters = clusters, KeepLateReplies = keepLateReplies, LosersAreInvalid = losersAreInvalid },
            (model, state) => model.Owners(state) <= 1);
    }

    [Theory]
    [InlineData(2, true)]
    [InlineData(3, false)]
    public void Q7_at_most_one_cluster_owns_a_grain_that_moves_whatever_becomes_of_the_move(int clusters, bool keepLateReplies)
    {
        Prove(
            "Prop. 3.1", new() { Clusters = clusters, KeepLateReplies = keepLateReplies, Moves = true },
            (model, state) => model.Owners(state) <= 1);
    }

    [Theory]
    [MemberData(nameof(Models))]
    public void At_most_one_cluster_has_an_instance_when_no_message_is_lost(int clusters, bool keepLateReplies, bool losersAreInvalid)
    {
        Prove(
            "Prop. 3.2",
            new() { Clusters = clusters, MayLose = false, KeepLateReplies = keepLateReplies, LosersAreInvalid = losersAreInvalid },
            (model, state) => model.Instances(state) <= 1);
    }

    public static TheoryData<int, int> DeadClusters => Long(
        new TheoryData<int, int> { { 3, 0 }, { 3, 1 }, { 3, 2 }, { 4, 0 }, { 4, 1 }, { 4, 2 }, { 4, 3 } }, (5, 0), (5, 4));

    [Theory]
    [MemberData(nameof(DeadClusters))]
    public void With_one_cluster_dead_at_most_one_of_the_others_has_an_instance_when_no_message_between_them_is_lost(int clusters, int dead)
    {
        Prove(
            "One instance among survivors",
            new() { Clusters = clusters, Dead = dead, MayLose = false, LosersAreInvalid = true },
            (model, state) => model.Instances(state) <= 1);
    }

    [Theory]
    [MemberData(nameof(DeadClusters))]
    public void Doubtful_instances_of_clusters_that_hear_each_other_become_one_and_never_none(int clusters, int dead)
    {
        var (model, explorer, violation) = Merge(ModelRules.Real, clusters, dead);

        Assert.True(violation is null, violation is null ? "" : string.Join(Environment.NewLine, violation));
        Assert.Null(explorer.Stuck(state => model.Instances(state) <= 1));
    }

    public static TheoryData<string> BrokenRules => new(Broken.Keys);

    private static Dictionary<string, ModelRules> Broken { get; } = new()
    {
        ["a loser keeps its round"] = ModelRules.WithoutLoser,
        ["a decision is stored without compare-and-swap"] = ModelRules.WithoutCompareAndSwap,
        ["replies are not matched to their round"] = ModelRules.WithoutRoundIds,
        ["a doubtful entry that is tried again answers Pass"] = ModelRules.WithRerunAsDoubtful,
        ["an overdue round is passed over without cancelling it"] = ModelRules.WithRecoveryNotStored,
        ["a missing reply counts as Pass"] = ModelRules.WithMissingAsPass,
        ["a Fail counts as Pass"] = ModelRules.WithFailAsPass,
        ["an owner answers Pass"] = ModelRules.WithOwnerPassing,
    };

    [Theory]
    [MemberData(nameof(BrokenRules))]
    public void The_exploration_finds_two_owners_when_a_rule_is_broken(string broken)
    {
        var model = new GsiModel(Broken[broken], new() { Clusters = 2, KeepLateReplies = true });

        Found(broken, new Explorer(model), explorer => explorer.Explore(state => model.Owners(state) <= 1));
    }

    [Fact]
    public void The_exploration_finds_two_instances_among_survivors_when_nobody_is_told_of_Doubtful_ones()
    {
        var model = new GsiModel(ModelRules.WithoutWordOfDoubtful, new() { Clusters = 3, Dead = 0, MayLose = false });

        Found("no word of Doubtful instances", new Explorer(model), explorer => explorer.Explore(state => model.Instances(state) <= 1));
    }

    [Fact]
    public void The_exploration_finds_that_no_instance_is_left_when_Doubtful_ones_yield_to_each_other()
    {
        var (_, explorer, violation) = Merge(ModelRules.WithJoiningAgainstPrecedence, clusters: 3, dead: 0);

        Found("joining against precedence", explorer, _ => violation);
    }

    [Fact]
    public void The_exploration_finds_that_Doubtful_instances_stay_when_none_of_them_yields()
    {
        var (model, explorer, violation) = Merge(ModelRules.WithoutJoining, clusters: 3, dead: 0);

        Assert.Null(violation);
        Assert.NotNull(explorer.Stuck(state => model.Instances(state) <= 1));
    }

    private static (GsiModel Model, Explorer Explorer, IReadOnlyList<string>? Violation) Merge(ModelRules rules, int clusters, int dead)
    {
        var model = new GsiModel(
            rules,
            new()
            {
                Clusters = clusters,
                Dead = dead,
                MayLose = false,
                BeginsDoubtful = true,
                NothingEnds = true,
                LosersAreInvalid = true,
            });
        var explorer = new Explorer(model);

        // A further instance is made only where there is none, and the last one stays.
        return (model, explorer, explorer.Explore(
            _ => true,
            (before, after) => (model.Instances(before), model.Instances(after)) is var (i, j) && j <= Math.Max(i, 1)
                && (i == 0 || j > 0)));
    }

    private static TheoryData<T1, T2> Long<T1, T2>(TheoryData<T1, T2> data, params (T1, T2)[] more)
    {
        if (Environment.GetEnvironmentVariable("GEO_LONG") == "1")
        {
            data.AddRange(more);
        }

        return data;
    }

    private static TheoryData<T1, T2, T3> Long<T1, T2, T3>(TheoryData<T1, T2, T3> data, params (T1, T2, T3)[] more)
    {
        if (Environment.GetEnvironmentVariable("GEO_LONG") == "1")
        {
            data.AddRange(more);
        }

        return data;
    }

    private void Prove(string proposition, ModelOptions options, Func<GsiModel, ulong, bool> holds)
    {
        var watch = Stopwatch.StartNew();
        var model = new GsiModel(ModelRules.Real, options);
        var explorer = new Explorer(model);
        var violation = explorer.Explore(state => holds(model, state));
        var line = $"{proposition}: {options}: {explorer.Count} states in {watch.Elapsed.TotalSeconds:0.0} s";
        output.WriteLine(line);
        Console.WriteLine(line);
        Assert.True(violation is null, violation is null ? "" : string.Join(Environment.NewLine, violation));
    }

    private void Found(string broken, Explorer explorer, Func<Explorer, IReadOnlyList<string>?> explore)
    {
        var violation = explore(explorer);

        output.WriteLine($"{broken}: {explorer.Count} states until");
        Assert.NotNull(violation);
        foreach (var step in violation)
        {
            output.WriteLine($"  {step}");
        }
    }
}
