namespace Geo.Directory.Tests;

/// <summary>The rules of GEO section 3.2 one by one, as the paper lists them.</summary>
public sealed class GsiRulesTests
{
    private static readonly ClusterId Low = new("a");
    private static readonly ClusterId Middle = new("b");
    private static readonly ClusterId High = new("c");
    private static readonly MultiClusterConfiguration Configuration = new(1, [Low, Middle, High]);
    private static readonly ClusterId[] Others = [Low, High];

    [Theory]
    [InlineData(GsiState.Invalid, GsiReplyKind.Pass, GsiState.Invalid)]
    [InlineData(GsiState.Owned, GsiReplyKind.InstanceAt, GsiState.Owned)]
    [InlineData(GsiState.Doubtful, GsiReplyKind.Pass, GsiState.Doubtful)]
    [InlineData(GsiState.Cached, GsiReplyKind.Pass, GsiState.Cached)]
    [InlineData(GsiState.Loser, GsiReplyKind.Pass, GsiState.Loser)]
    public void A_request_is_answered_by_the_state_of_the_entry(GsiState state, object expected, GsiState after)
    {
        foreach (var requester in Others)
        {
            var answer = GsiRules.Answer(Entry(state), Middle, requester, Configuration);

            Assert.Equal((expected, after), (answer.Kind, answer.Entry.State));
            Assert.Equal(state == GsiState.Owned ? "n" : null, answer.Node);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_request_that_meets_a_round_is_settled_by_precedence_whether_or_not_there_is_an_instance(bool hasInstance)
    {
        var requested = Entry(GsiState.Requested) with { HasInstance = hasInstance };

        var lost = GsiRules.Answer(requested, Middle, High, Configuration);
        var won = GsiRules.Answer(requested, Middle, Low, Configuration);

        Assert.Equal((GsiReplyKind.Pass, requested with { State = GsiState.Loser }), (lost.Kind, lost.Entry));
        Assert.Equal((GsiReplyKind.Fail, requested), (won.Kind, won.Entry));
    }

    [Fact]
    public void A_requester_outside_the_configuration_or_of_the_own_name_fails_in_every_state()
    {
        foreach (var state in Enum.GetValues<GsiState>())
        {
            Assert.Equal(GsiReplyKind.Fail, GsiRules.Answer(Entry(state), Middle, new ClusterId("z"), Configuration).Kind);
            Assert.Equal(GsiReplyKind.Fail, GsiRules.Answer(Entry(state), Middle, Middle, Configuration).Kind);
        }
    }

    [Theory]
    [InlineData(GsiState.Loser, "PP", SingleInstanceMode.Optimistic, GsiDecisionKind.Restart)]
    [InlineData(GsiState.Loser, "II", SingleInstanceMode.Optimistic, GsiDecisionKind.Restart)]
    [InlineData(GsiState.Requested, "FI", SingleInstanceMode.Optimistic, GsiDecisionKind.Cache)]
    [InlineData(GsiState.Requested, "MI", SingleInstanceMode.Pessimistic, GsiDecisionKind.Cache)]
    [InlineData(GsiState.Requested, "FM", SingleInstanceMode.Pessimistic, GsiDecisionKind.Restart)]
    [InlineData(GsiState.Requested, "PF", SingleInstanceMode.Optimistic, GsiDecisionKind.Restart)]
    [InlineData(GsiState.Requested, "PP", SingleInstanceMode.Pessimistic, GsiDecisionKind.Own)]
    [InlineData(GsiState.Requested, "PM", SingleInstanceMode.Optimistic, GsiDecisionKind.Doubt)]
    [InlineData(GsiState.Requested, "PM", SingleInstanceMode.Pessimistic, GsiDecisionKind.Refuse)]
    [InlineData(GsiState.Requested, "", SingleInstanceMode.Optimistic, GsiDecisionKind.Doubt)]
    [InlineData(GsiState.Owned, "PP", SingleInstanceMode.Optimistic, GsiDecisionKind.Superseded)]
    [InlineData(GsiState.Invalid, "PP", SingleInstanceMode.Optimistic, GsiDecisionKind.Superseded)]
    public void The_first_rule_that_applies_decides(GsiState state, string replies, SingleInstanceMode mode, object expected)
    {
        var received = replies.Select((r, i) => new GsiReply(Others[i], 5, r switch
        {
            'P' => GsiReplyKind.Pass,
            'F' => GsiReplyKind.Fail,
            'I' => GsiReplyKind.InstanceAt,
            _ => GsiReplyKind.Missing,
        })).ToArray();

        Assert.Equal(expected, GsiRules.Decide(Entry(state), 5, received, Others, mode).Kind);
    }

    [Fact]
    public void Replies_of_another_round_and_of_clusters_that_were_not_asked_count_as_missing()
    {
        GsiReply[] late = [new(Low, 4, GsiReplyKind.Pass), new(High, 5, GsiReplyKind.Pass), new(new ClusterId("z"), 5, GsiReplyKind.Pass)];

        Assert.Equal(GsiDecisionKind.Doubt, GsiRules.Decide(Entry(GsiState.Requested), 5, late, Others, SingleInstanceMode.Optimistic).Kind);
    }

    [Fact]
    public void A_round_has_no_say_about_the_row_of_another_round()
    {
        GsiReply[] passes = [new(Low, 4, GsiReplyKind.Pass), new(High, 4, GsiReplyKind.Pass)];

        Assert.Equal(GsiDecisionKind.Superseded, GsiRules.Decide(Entry(GsiState.Requested), 4, passes, Others, SingleInstanceMode.Optimistic).Kind);
    }

    [Fact]
    public void With_nobody_to_ask_the_grain_is_owned()
    {
        Assert.Equal(GsiDecisionKind.Own, GsiRules.Decide(Entry(GsiState.Requested), 5, [], [], SingleInstanceMode.Pessimistic).Kind);
    }

    [Fact]
    public void A_local_instance_yields_before_the_entry_names_the_owner()
    {
        var requested = Entry(GsiState.Requested) with { HasInstance = true };

        var yielding = GsiRules.Apply(requested, new GsiDecision(GsiDecisionKind.Cache, High, "m"));
        var cached = GsiRules.Yielded(yielding);

        Assert.True(yielding.IsYielding);
        Assert.False(yielding.MayRunHere);
        Assert.Equal((GsiState.Cached, High, "m"), (cached.State, cached.Owner, cached.OwnerNode));
        Assert.False(cached.MayRunHere);
    }

    [Fact]
    public void A_rerun_without_answers_is_doubtful_again_even_for_a_pessimistic_caller()
    {
        var requested = Entry(GsiState.Requested) with { HasInstance = true };

        var decision = GsiRules.Decide(requested, 5, [], Others, SingleInstanceMode.Pessimistic);

        Assert.Equal(GsiState.Doubtful, GsiRules.Apply(requested, decision).State);
    }

    [Fact]
    public void A_round_keeps_the_tenancy_of_a_doubtful_instance_and_begins_a_new_one_otherwise()
    {
        var rerun = GsiRules.Begin(Entry(GsiState.Doubtful), "other", 9, 10, default);
        var first = GsiRules.Begin(GsiEntry.Invalid, "other", 9, 10, default);

        Assert.Equal(("n", 3L, 10L, true), (rerun.Node, rerun.Epoch, rerun.Round, rerun.HasInstance));
        Assert.Equal(("other", 9L, 10L, false), (first.Node, first.Epoch, first.Round, first.HasInstance));
    }

    [Theory]
    [InlineData(GsiState.Owned, false, false, GsiState.Invalid)]
    [InlineData(GsiState.Owned, true, true, GsiState.Owned)]
    [InlineData(GsiState.Requested, true, true, GsiState.Invalid)]
    [InlineData(GsiState.Requested, true, false, GsiState.Requested)]
    [InlineData(GsiState.Requested, false, false, GsiState.Invalid)]
    [InlineData(GsiState.Doubtful, false, true, GsiState.Invalid)]
    [InlineData(GsiState.Cached, false, true, GsiState.Cached)]
    public void What_a_crash_left_behind_is_recovered(GsiState state, bool alive, bool overdue, GsiState expected)
    {
        Assert.Equal(expected, GsiRules.Recover(Entry(state), alive, overdue).State);
    }

    [Fact]
    public void An_overdue_rerun_is_doubtful_again_and_an_overdue_yield_still_yields()
    {
        var rerun = Entry(GsiState.Requested) with { HasInstance = true };
        var yielding = Entry(GsiState.Loser) with { HasInstance = true, Owner = High };

        Assert.Equal(GsiState.Doubtful, GsiRules.Recover(rerun, nodeAlive: true, overdue: true).State);
        Assert.Equal(yielding, GsiRules.Recover(yielding, nodeAlive: true, overdue: true));
    }

    private static GsiEntry Entry(GsiState state) => state switch
    {
        GsiState.Invalid => GsiEntry.Invalid,
        GsiState.Cached => new GsiEntry { State = state, Owner = High, Round = 5 },
        _ => new GsiEntry { State = state, Node = "n", Epoch = 3, Round = 5 },
    };
}
