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
            var answer = GsiRules.Answer(Entry(state), Middle, requester, Configuration, NodeState.Living);

            Assert.Equal((expected, after), (answer.Kind, answer.Entry.State));
            Assert.Equal(state is GsiState.Owned or GsiState.Doubtful ? "n" : null, answer.Node);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_request_that_meets_a_round_is_settled_by_precedence_whether_or_not_there_is_an_instance(bool hasInstance)
    {
        var requested = Entry(GsiState.Requested) with { HasInstance = hasInstance };

        var lost = GsiRules.Answer(requested, Middle, High, Configuration, NodeState.Living);
        var won = GsiRules.Answer(requested, Middle, Low, Configuration, NodeState.Living);

        Assert.Equal((GsiReplyKind.Pass, requested with { State = GsiState.Loser }), (lost.Kind, lost.Entry));
        Assert.Equal((GsiReplyKind.Fail, requested), (won.Kind, won.Entry));
        Assert.Equal(hasInstance ? ("n", "n") : (null, null), (lost.Node, won.Node));
    }

    [Fact]
    public void What_an_unfenced_node_may_run_is_neither_pointed_at_nor_passed_over()
    {
        GsiEntry[] instances =
        [
            Entry(GsiState.Owned), Entry(GsiState.Doubtful), Entry(GsiState.Requested) with { HasInstance = true },
            Entry(GsiState.Loser) with { HasInstance = true, Owner = High },
        ];
        foreach (var entry in instances)
        {
            var answer = GsiRules.Answer(entry, Middle, High, Configuration, NodeState.Unfenced);

            Assert.Equal((GsiReplyKind.Missing, entry), (answer.Kind, answer.Entry));
        }

        Assert.Equal(GsiReplyKind.Pass, GsiRules.Answer(GsiEntry.Invalid, Middle, High, Configuration, NodeState.Unfenced).Kind);
    }

    [Fact]
    public void A_requester_outside_the_configuration_or_of_the_own_name_fails_in_every_state()
    {
        foreach (var state in Enum.GetValues<GsiState>())
        {
            Assert.Equal(
                GsiReplyKind.Fail, GsiRules.Answer(Entry(state), Middle, new ClusterId("z"), Configuration, NodeState.Living).Kind);
            Assert.Equal(GsiReplyKind.Fail, GsiRules.Answer(Entry(state), Middle, Middle, Configuration, NodeState.Living).Kind);
        }
    }

    [Theory]
    [InlineData(GsiState.Loser, "PP", SingleInstanceMode.Optimistic, GsiDecisionKind.Restart)]
    [InlineData(GsiState.Loser, "FI", SingleInstanceMode.Optimistic, GsiDecisionKind.Cache)]
    [InlineData(GsiState.Loser, "Pp", SingleInstanceMode.Optimistic, GsiDecisionKind.Cache)]
    [InlineData(GsiState.Loser, "MM", SingleInstanceMode.Optimistic, GsiDecisionKind.Restart)]
    [InlineData(GsiState.Requested, "pM", SingleInstanceMode.Optimistic, GsiDecisionKind.Cache)]
    [InlineData(GsiState.Requested, "pF", SingleInstanceMode.Optimistic, GsiDecisionKind.Cache)]
    [InlineData(GsiState.Requested, "Pf", SingleInstanceMode.Optimistic, GsiDecisionKind.Cache)]
    [InlineData(GsiState.Requested, "pP", SingleInstanceMode.Optimistic, GsiDecisionKind.Cache)]
    [InlineData(GsiState.Requested, "pP", SingleInstanceMode.Pessimistic, GsiDecisionKind.Own)]
    [InlineData(GsiState.Requested, "pM", SingleInstanceMode.Pessimistic, GsiDecisionKind.Refuse)]
    [InlineData(GsiState.Requested, "FI", SingleInstanceMode.Optimistic, GsiDecisionKind.Cache)]
    [InlineData(GsiState.Requested, "MI", SingleInstanceMode.Pessimistic, GsiDecisionKind.Cache)]
    [InlineData(GsiState.Requested, "FM", SingleInstanceMode.Pessimistic, GsiDecisionKind.Restart)]
    [InlineData(GsiState.Requested, "PF", SingleInstanceMode.Optimistic, GsiDecisionKind.Restart)]
    [InlineData(GsiState.Requested, "PP", SingleInstanceMode.Pessimistic, GsiDecisionKind.Own)]
    [InlineData(GsiState.Requested, "PM", SingleInstanceMode.Optimistic, GsiDecisionKind.Doubt)]
    [InlineData(GsiState.Requested, "PM", SingleInstanceMode.Pessimistic, GsiDecisionKind.Refuse)]
    [InlineData(GsiState.Requested, "PB", SingleInstanceMode.Optimistic, GsiDecisionKind.Restart)]
    [InlineData(GsiState.Requested, "MB", SingleInstanceMode.Pessimistic, GsiDecisionKind.Restart)]
    [InlineData(GsiState.Requested, "BI", SingleInstanceMode.Optimistic, GsiDecisionKind.Cache)]
    [InlineData(GsiState.Requested, "", SingleInstanceMode.Optimistic, GsiDecisionKind.Doubt)]
    [InlineData(GsiState.Owned, "PP", SingleInstanceMode.Optimistic, GsiDecisionKind.Superseded)]
    [InlineData(GsiState.Invalid, "PP", SingleInstanceMode.Optimistic, GsiDecisionKind.Superseded)]
    public void The_first_rule_that_applies_decides(GsiState state, string replies, SingleInstanceMode mode, object expected)
    {
        Assert.Equal(expected, GsiRules.Decide(Entry(state), Middle, 5, Replies(replies), Others, mode).Kind);
    }

    [Theory]
    [InlineData("PM", GsiDecisionKind.Doubt)]
    [InlineData("pM", GsiDecisionKind.Doubt)]
    [InlineData("Mp", GsiDecisionKind.Cache)]
    [InlineData("Mf", GsiDecisionKind.Cache)]
    [InlineData("Pf", GsiDecisionKind.Cache)]
    [InlineData("Pp", GsiDecisionKind.Own)]
    [InlineData("pF", GsiDecisionKind.Restart)]
    public void Of_Doubtful_instances_the_one_of_the_cluster_with_precedence_is_left_unless_another_becomes_the_owner(
        string replies, object expected)
    {
        var rerun = Entry(GsiState.Requested) with { HasInstance = true };

        Assert.Equal(expected, GsiRules.Decide(rerun, Middle, 5, Replies(replies), Others, SingleInstanceMode.Optimistic).Kind);
    }

    [Fact]
    public void Of_several_Doubtful_instances_a_cluster_joins_the_one_that_will_be_left_and_before_all_the_owner()
    {
        var round = Entry(GsiState.Requested);

        Assert.Equal(High, GsiRules.Decide(round, Middle, 5, Replies("pp"), Others, SingleInstanceMode.Optimistic).Owner);
        Assert.Equal(High, GsiRules.Decide(round, Middle, 5, Replies("pp"), [High, Low], SingleInstanceMode.Optimistic).Owner);
        Assert.Equal(Low, GsiRules.Decide(round, Middle, 5, Replies("Ip"), Others, SingleInstanceMode.Optimistic).Owner);
    }

    [Fact]
    public void Replies_of_another_round_and_of_clusters_that_were_not_asked_count_as_missing()
    {
        GsiReply[] late = [new(Low, 4, GsiReplyKind.Pass), new(High, 5, GsiReplyKind.Pass), new(new ClusterId("z"), 5, GsiReplyKind.Pass)];

        Assert.Equal(
            GsiDecisionKind.Doubt, GsiRules.Decide(Entry(GsiState.Requested), Middle, 5, late, Others, SingleInstanceMode.Optimistic).Kind);
    }

    [Fact]
    public void A_round_has_no_say_about_the_row_of_another_round()
    {
        GsiReply[] passes = [new(Low, 4, GsiReplyKind.Pass), new(High, 4, GsiReplyKind.Pass)];

        Assert.Equal(
            GsiDecisionKind.Superseded,
            GsiRules.Decide(Entry(GsiState.Requested), Middle, 4, passes, Others, SingleInstanceMode.Optimistic).Kind);
    }

    [Fact]
    public void With_nobody_to_ask_the_grain_is_owned()
    {
        Assert.Equal(
            GsiDecisionKind.Own, GsiRules.Decide(Entry(GsiState.Requested), Middle, 5, [], [], SingleInstanceMode.Pessimistic).Kind);
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

        var decision = GsiRules.Decide(requested, Middle, 5, [], Others, SingleInstanceMode.Pessimistic);

        Assert.Equal(GsiState.Doubtful, GsiRules.Apply(requested, decision).State);
    }

    [Fact]
    public void A_round_keeps_the_tenancy_of_a_doubtful_instance_and_begins_a_new_one_otherwise()
    {
        var rerun = GsiRules.Begin(Entry(GsiState.Doubtful), "other", 9, 10, default, default);
        var first = GsiRules.Begin(GsiEntry.Invalid, "other", 9, 10, default, default);

        Assert.Equal(("n", 3L, 10L, true), (rerun.Node, rerun.Epoch, rerun.Round, rerun.HasInstance));
        Assert.Equal(("other", 9L, 10L, false), (first.Node, first.Epoch, first.Round, first.HasInstance));
    }

    [Theory]
    [InlineData(GsiState.Owned, NodeState.Gone, false, GsiState.Invalid)]
    [InlineData(GsiState.Owned, NodeState.Living, true, GsiState.Owned)]
    [InlineData(GsiState.Owned, NodeState.Unfenced, true, GsiState.Owned)]
    [InlineData(GsiState.Requested, NodeState.Living, true, GsiState.Invalid)]
    [InlineData(GsiState.Requested, NodeState.Living, false, GsiState.Requested)]
    [InlineData(GsiState.Requested, NodeState.Unfenced, false, GsiState.Invalid)]
    [InlineData(GsiState.Requested, NodeState.Gone, false, GsiState.Invalid)]
    [InlineData(GsiState.Doubtful, NodeState.Gone, true, GsiState.Invalid)]
    [InlineData(GsiState.Doubtful, NodeState.Unfenced, true, GsiState.Doubtful)]
    [InlineData(GsiState.Cached, NodeState.Gone, true, GsiState.Cached)]
    public void What_a_crash_left_behind_is_recovered(GsiState state, NodeState node, bool overdue, GsiState expected)
    {
        Assert.Equal(expected, GsiRules.Recover(Entry(state), node, overdue).State);
    }

    [Fact]
    public void An_overdue_rerun_is_doubtful_again_and_an_overdue_yield_still_yields()
    {
        var rerun = Entry(GsiState.Requested) with { HasInstance = true };
        var yielding = Entry(GsiState.Loser) with { HasInstance = true, Owner = High };

        Assert.Equal(GsiState.Doubtful, GsiRules.Recover(rerun, NodeState.Living, overdue: true).State);
        Assert.Equal(yielding, GsiRules.Recover(yielding, NodeState.Living, overdue: true));
    }

    [Fact]
    public void Of_two_clusters_one_has_precedence_and_none_over_itself()
    {
        Assert.True(GsiRules.HasPrecedence(High, Low));
        Assert.False(GsiRules.HasPrecedence(Low, High));
        Assert.False(GsiRules.HasPrecedence(Low, Low));
    }

    [Theory]
    [InlineData(GsiState.Owned, 1, 7, 4, false, NodeState.Living)]
    [InlineData(GsiState.Owned, 1, 4, 4, false, NodeState.Living)]
    [InlineData(GsiState.Owned, 1, 9, 4, false, NodeState.Living)]
    [InlineData(GsiState.Owned, 1, 3, 4, false, NodeState.Gone)]
    [InlineData(GsiState.Owned, 1, 10, 4, false, NodeState.Gone)]
    [InlineData(GsiState.Owned, 2, 7, 4, false, NodeState.Gone)]
    [InlineData(GsiState.Owned, 1, 7, 4, true, NodeState.Gone)]
    [InlineData(GsiState.Doubtful, 1, 7, 4, false, NodeState.Gone)]
    public void What_a_gone_node_owned_is_the_clusters_while_all_clusters_there_are_were_asked_in_this_life_of_it(
        GsiState state, long life, long version, long since, bool requesterHasInstance, object expected)
    {
        var entry = Entry(state) with { Basis = new RoundBasis(life, version) };

        Assert.Equal(expected, GsiRules.NodeOf(entry, NodeState.Gone, new RoundBasis(1, 9), since, requesterHasInstance));
    }

    [Fact]
    public void What_a_decision_names_is_the_first_cluster_that_it_is_for_and_what_that_one_said()
    {
        var round = Entry(GsiState.Requested);
        GsiReply[] refused = [new(Low, 5, GsiReplyKind.Fail, Reason: "no"), new(High, 5, GsiReplyKind.Busy, Reason: "full")];
        GsiReply[] missing = [new(Low, 5, GsiReplyKind.Missing, Reason: "cut"), new(High, 5, GsiReplyKind.Missing, Reason: "gone")];

        Assert.Equal((High, "m"), Owner(GsiRules.Decide(round, Middle, 5, Replies("FI"), Others, SingleInstanceMode.Optimistic)));
        Assert.Equal((Low, "m"), Owner(GsiRules.Decide(round, Middle, 5, Replies("pM"), Others, SingleInstanceMode.Optimistic)));
        Assert.Contains("'a' refuses: no", Why(round, refused));
        Assert.Contains("'c' has no room for the request: full", Why(round, refused[1..]));
        Assert.Contains("'a' does not answer: cut", Why(round, missing));
        Assert.Contains("'a' does not answer: cut", Why(round, missing, SingleInstanceMode.Pessimistic));
        Assert.Contains("'a' does not answer: no reply", Why(round, []));
        Assert.Contains("a cluster with precedence", Why(Entry(GsiState.Loser), refused));
        Assert.Contains("another round", Why(Entry(GsiState.Owned), refused));

        static string? Why(GsiEntry entry, GsiReply[] replies, SingleInstanceMode mode = SingleInstanceMode.Optimistic) =>
            GsiRules.Decide(entry, Middle, 5, replies, Others, mode).Reason;

        static (ClusterId, string?) Owner(GsiDecision decision) => (decision.Owner, decision.OwnerNode);
    }

    [Fact]
    public void An_answer_counts_whenever_another_attempt_to_ask_failed()
    {
        GsiReply failed = new(Low, 5, GsiReplyKind.Missing), passed = new(Low, 5, GsiReplyKind.Pass);
        GsiReply other = new(High, 5, GsiReplyKind.Pass);
        foreach (var replies in (GsiReply[][])[[failed, other, passed], [passed, other, failed]])
        {
            Assert.Equal(
                GsiDecisionKind.Own,
                GsiRules.Decide(Entry(GsiState.Requested), Middle, 5, replies, Others, SingleInstanceMode.Optimistic).Kind);
        }
    }

    [Fact]
    public void A_round_whose_instance_is_to_end_has_no_say_any_more()
    {
        var yielding = Entry(GsiState.Loser) with { HasInstance = true, Owner = High };

        Assert.Equal(
            GsiDecisionKind.Superseded,
            GsiRules.Decide(yielding, Middle, 5, Replies("PP"), Others, SingleInstanceMode.Optimistic).Kind);
    }

    [Fact]
    public void A_decision_leaves_of_the_entry_what_the_next_round_needs()
    {
        var deadline = new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);
        var requested = Entry(GsiState.Requested) with { Basis = new RoundBasis(1, 2), Deadline = deadline };
        var rerun = requested with { HasInstance = true };
        var settled = new GsiEntry { Node = "n", Epoch = 3, Round = 5, Basis = requested.Basis };
        var cache = new GsiDecision(GsiDecisionKind.Cache, High, "m");

        Assert.Equal(settled with { State = GsiState.Owned }, GsiRules.Apply(rerun, new(GsiDecisionKind.Own)));
        Assert.Equal(settled with { State = GsiState.Doubtful }, GsiRules.Apply(requested, new(GsiDecisionKind.Doubt)));
        Assert.Equal(settled with { State = GsiState.Doubtful }, GsiRules.Apply(rerun, new(GsiDecisionKind.Refuse)));
        Assert.Equal(GsiEntry.Invalid, GsiRules.Apply(requested, new(GsiDecisionKind.Refuse)));
        Assert.Equal(requested with { State = GsiState.Loser }, GsiRules.Apply(requested, new(GsiDecisionKind.Restart)));
        Assert.Equal(requested, GsiRules.Apply(requested, new(GsiDecisionKind.Superseded)));
        Assert.Equal(
            new GsiEntry { State = GsiState.Cached, Round = 5, Owner = High, OwnerNode = "m" }, GsiRules.Apply(requested, cache));
        Assert.Equal(rerun with { State = GsiState.Loser, Owner = High, OwnerNode = "m" }, GsiRules.Apply(rerun, cache));
    }

    [Fact]
    public void A_round_keeps_what_it_was_run_on_and_until_when_it_is_believed()
    {
        var (basis, deadline) = (new RoundBasis(1, 2), new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero));

        var begun = GsiRules.Begin(Entry(GsiState.Cached), "other", 9, 10, basis, deadline);

        Assert.Equal(
            new GsiEntry { State = GsiState.Requested, Node = "other", Epoch = 9, Round = 10, Basis = basis, Deadline = deadline }, begun);
    }

    [Fact]
    public void An_instance_may_run_while_it_is_owned_in_doubt_or_asked_about_again()
    {
        Assert.True(Entry(GsiState.Owned).MayRunHere);
        Assert.True(Entry(GsiState.Doubtful).MayRunHere);
        Assert.True((Entry(GsiState.Requested) with { HasInstance = true }).MayRunHere);
        Assert.True((Entry(GsiState.Loser) with { HasInstance = true }).MayRunHere);
        Assert.False((Entry(GsiState.Loser) with { HasInstance = true, Owner = High }).MayRunHere);
        Assert.False(Entry(GsiState.Requested).MayRunHere);
        Assert.False(Entry(GsiState.Cached).IsYielding);
    }

    /// <summary>One letter a cluster, a small one where it has a Doubtful instance.</summary>
    private static GsiReply[] Replies(string letters) => [.. letters.Select((letter, i) => new GsiReply(
        Others[i],
        5,
        char.ToUpperInvariant(letter) switch
        {
            'P' => GsiReplyKind.Pass,
            'F' => GsiReplyKind.Fail,
            'I' => GsiReplyKind.InstanceAt,
            'B' => GsiReplyKind.Busy,
            _ => GsiReplyKind.Missing,
        },
        letter is 'p' or 'f' or 'I' ? "m" : null))];

    private static GsiEntry Entry(GsiState state) => state switch
    {
        GsiState.Invalid => GsiEntry.Invalid,
        GsiState.Cached => new GsiEntry { State = state, Owner = High, Round = 5 },
        _ => new GsiEntry { State = state, Node = "n", Epoch = 3, Round = 5 },
    };
}
