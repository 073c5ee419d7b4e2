namespace Geo.Consistency.Tests.VersionedLeader.Rules;

/// <summary>How a replica comes to lead, rule by rule.</summary>
public sealed class LeaderElectionTests
{
    private static readonly ClusterId A = new("a");
    private static readonly ClusterId B = new("b");
    private static readonly ClusterId C = new("c");
    private static readonly ReplicaConfiguration Three = new(4, [A, B, C], []);
    private static readonly Term First = new(1, B, 2);
    private static readonly Term Second = new(2, B, 2);

    [Fact]
    public void A_candidate_asks_for_a_term_above_all_it_knows_and_above_the_clock()
    {
        var replica = new LeaderReplica(A, 1) { Promised = First, Known = default(ClusterMap<long>).SetItem(B, 2), Heard = new(Second) };

        var (asking, ask) = LeaderElection.AskFor(replica, Three, clock: 0)!.Value;

        Assert.Equal(new Term(3, A, 1), ask.Term);
        Assert.Equal((4, default, 0), (ask.Configuration, ask.At, ask.Step));
        Assert.Equal([(A, 1), (B, 2)], ask.Names.Select(name => (name.Key, name.Value)));
        Assert.Equal((ask.Term, 4, null), (asking.Promised, asking.PromisedConfiguration, asking.Heard));
        Assert.Equal(new(ask.Term, Three, ask.Names, default), asking.Candidacy);
        Assert.Equal(7, LeaderElection.AskFor(replica, Three, clock: 7)!.Value.Ask.Term.Counter);
        Assert.Equal(3, LeaderElection.AskFor(replica, Three, clock: 3)!.Value.Ask.Term.Counter);
    }

    [Fact]
    public void Nobody_asks_for_a_configuration_without_itself_or_older_than_one_heard_of()
    {
        var replica = new LeaderReplica(A, 1);

        Assert.Null(LeaderElection.AskFor(replica, new(4, [B, C], []), 0));
        Assert.Null(LeaderElection.AskFor(replica with { PromisedConfiguration = 5 }, Three, 0));
        Assert.Equal(4, LeaderElection.AskFor(replica with { PromisedConfiguration = 4 }, Three, 0)!.Value.Replica.PromisedConfiguration);
        Assert.NotNull(LeaderElection.AskFor(replica with { Promised = First with { Counter = Term.MaxCounter - 1 } }, Three, 0));
        Assert.Null(LeaderElection.AskFor(replica with { Promised = First with { Counter = Term.MaxCounter } }, Three, 0));
    }

    [Fact]
    public void A_promise_is_given_for_a_later_term_and_kept()
    {
        var replica = new LeaderReplica(B, 2) { Promised = First, IsSeated = true, Heard = new(Second) };
        var ask = Ask(new(3, A, 1));

        var (granted, answer) = LeaderElection.Answer(replica, A, ask, Three);

        Assert.Equal((true, ask.Term, 4, 2, true, null),
            (answer.IsGranted, answer.Promised, answer.Configuration, answer.Incarnation, answer.IsSeated, answer.Log));
        Assert.Equal((ask.Term, 4, null), (granted.Promised, granted.PromisedConfiguration, granted.Heard));
        Assert.Equal([(A, 1), (C, 9)], granted.Known.Select(known => (known.Key, known.Value)));
        Assert.True(answer.Known == granted.Known);
        Assert.False(LeaderElection.Answer(granted, A, ask, Three).Answer.IsGranted);
        Assert.False(LeaderElection.Answer(granted, A, Ask(new(2, A, 1)), Three).Answer.IsGranted);
    }

    [Fact]
    public void What_is_heard_of_a_still_later_term_is_remembered_beyond_a_promise()
    {
        var replica = new LeaderReplica(B, 2) { Heard = new(new(9, C, 3)) };

        Assert.Equal(9, LeaderElection.Answer(replica, A, Ask(new(3, A, 1)), Three).Replica.Heard!.Term.Counter);
    }

    [Fact]
    public void A_refusal_says_what_stands_against_it_and_changes_no_promise()
    {
        var replica = new LeaderReplica(B, 2) { Promised = Second, PromisedConfiguration = 5, IsSeated = true };

        var (refusing, old) = LeaderElection.Answer(replica, A, Ask(new(3, A, 1)), Three);

        Assert.Equal(
            (false, Second, 5, 2, true, null), (old.IsGranted, old.Promised, old.Configuration, old.Incarnation, old.IsSeated, old.Log));
        Assert.Equal((Second, 3), (refusing.Promised, refusing.Heard!.Term.Counter));
        Assert.Equal(1, refusing.Known.GetValueOrDefault(A));
        Assert.False(LeaderElection.Answer(replica with { PromisedConfiguration = 0 }, A, Ask(new(3, A, 1)), Three with { Number = 5 })
            .Answer.IsGranted);
        Assert.True(LeaderElection.Answer(replica with { PromisedConfiguration = 4 }, A, Ask(new(3, A, 1)), Three).Answer.IsGranted);
    }

    [Fact]
    public void A_candidate_is_told_the_log_that_is_newer_than_its_own()
    {
        var log = ReplicaLog.Nothing.Begin(First) with { Step = 5, Version = 5 };
        var replica = new LeaderReplica(B, 2) { Promised = First, IsSeated = true }.WithLog(log);

        Assert.Equal(log, Told(Ask(new(3, A, 1))));
        Assert.Null(Told(Ask(new(3, A, 1)) with { At = First, Step = 5 }));
        Assert.Equal(log, Told(Ask(new(3, A, 1)) with { At = First, Step = 4 }));

        ReplicaLog? Told(Ask ask) => LeaderElection.Answer(replica, A, ask, Three).Answer.Log;
    }

    [Theory]
    [InlineData(UpdateConfirmation.Leader, false, 4, false)]
    [InlineData(UpdateConfirmation.Leader, true, 4, true)]
    [InlineData(UpdateConfirmation.Leader, false, 5, true)]
    [InlineData(UpdateConfirmation.Replicated, false, 4, true)]
    public void Who_confirms_alone_leads_on_until_it_stops_or_the_configuration_is_another_one(
        UpdateConfirmation confirmation, bool isHandingOver, long configuration, bool isGranted)
    {
        var leading = Leading(confirmation) with { IsHandingOver = isHandingOver };

        var (after, answer) = LeaderElection.Answer(leading, B, Ask(new(9, B, 2)) with { Configuration = configuration }, Three);

        Assert.Equal((isGranted, isGranted), (answer.IsGranted, after.Leadership is null));
    }

    [Fact]
    public void A_majority_of_those_with_memory_is_enough_and_without_memory_all()
    {
        var (seated, ask) = LeaderElection.AskFor(new(A, 1) { IsSeated = true }, Three, 0)!.Value;
        Assert.Null(Answered(seated, ask, B, isSeated: false).Leadership);
        Assert.NotNull(Answered(seated, ask, B, isSeated: true).Leadership);
        Assert.NotNull(Answered(Answered(seated, ask, B, isSeated: false), ask, C, isSeated: false).Leadership);
        Assert.Null(Answered(seated, ask, B, isSeated: true, UpdateConfirmation.Leader).Leadership);

        var (empty, ask2) = LeaderElection.AskFor(new(A, 1), Three, 0)!.Value;
        Assert.Null(Answered(empty, ask2, B, isSeated: true).Leadership);
        Assert.NotNull(Answered(Answered(empty, ask2, B, isSeated: true), ask2, C, isSeated: true).Leadership);
    }

    [Fact]
    public void Of_the_former_clusters_so_many_answer_that_none_of_their_majorities_is_without_one()
    {
        ClusterId d = new("d"), e = new("e"), f = new("f");
        var configuration = new ReplicaConfiguration(4, [A, B], [d, e, f]);
        var (asking, ask) = LeaderElection.AskFor(new(A, 1) { IsSeated = true }, configuration, 0)!.Value;
        asking = Answered(Answered(asking, ask, B, isSeated: true), ask, d, isSeated: true);
        Assert.Null(asking.Leadership);
        Assert.Null(Answered(asking, ask, e, isSeated: false).Leadership);
        Assert.NotNull(Answered(asking, ask, e, isSeated: true).Leadership);
    }

    [Fact]
    public void An_answer_counts_once_for_the_term_that_was_asked_for_and_only_while_no_later_one_is_promised()
    {
        var (asking, ask) = LeaderElection.AskFor(new(A, 1) { IsSeated = true }, Three, 0)!.Value;

        Assert.Null(Answered(asking, ask with { Term = First }, B, isSeated: true).Leadership);
        Assert.Null(Answered(asking with { Candidacy = null }, ask, B, isSeated: true).Leadership);
        Assert.Null(Answered(asking with { Promised = new(9, B, 2) }, ask, B, isSeated: true).Leadership);
        Assert.Null(LeaderElection.Take(
            asking, B, ask.Term, new(false, ask.Term, 4, 2, true, default, null), UpdateConfirmation.Replicated).Leadership);
        var once = Answered(asking, ask, B, isSeated: false);
        Assert.Null(Answered(once, ask, B, isSeated: true).Leadership);
    }

    [Fact]
    public void Answers_count_together_that_know_one_memory_of_each_cluster()
    {
        var (asking, ask) = LeaderElection.AskFor(new(A, 1) { IsSeated = true }, Three, 0)!.Value;
        var ofOther = default(ClusterMap<long>).SetItem(A, 8);
        Assert.Null(Answered(asking, ask, B, isSeated: true, known: ofOther).Leadership);
        Assert.NotNull(Answered(asking, ask, B, isSeated: true, known: default(ClusterMap<long>).SetItem(A, 1)).Leadership);

        var first = Answered(asking, ask, B, isSeated: false, known: default(ClusterMap<long>).SetItem(C, 8));
        Assert.Null(Answered(first, ask, C, isSeated: true).Leadership);
        Assert.NotNull(Answered(
            Answered(asking, ask, B, isSeated: false, known: default(ClusterMap<long>).SetItem(B, 8)), ask, C, isSeated: true).Leadership);
    }

    [Fact]
    public void A_leader_begins_with_the_newest_log_that_it_was_told_and_confirms_nothing_that_only_it_knows()
    {
        var old = ReplicaLog.Nothing.Begin(First) with { Step = 5, Version = 5 };
        var newer = old with { Step = 6, Version = 6 };
        var (asking, ask) = LeaderElection.AskFor(
            new LeaderReplica(A, 1) { IsSeated = true, IsHandingOver = true }.WithLog(old), Three, 0)!.Value;

        var leading = Answered(asking, ask, B, isSeated: true, log: newer);

        Assert.Equal((ask.Term, 6, 6, 0), (leading.Led, leading.Log.Step, leading.Log.Version, leading.Confirmed));
        Assert.Equal((true, false, null, 4), (leading.IsSeated, leading.IsHandingOver, leading.Candidacy, leading.LogConfiguration));
        Assert.Equal(leading.Log, Assert.Single(leading.Tail));
        Assert.Equal((0, false), (leading.Leadership!.Round, leading.Leadership.Names.ContainsKey(A)));
        Assert.Equal(UpdateConfirmation.Replicated, leading.Leadership.Confirmation);
        Assert.Equal(6, Answered(
            LeaderElection.AskFor(new LeaderReplica(A, 1) { IsSeated = true }.WithLog(newer), Three, 0)!.Value.Replica,
            LeaderElection.AskFor(new LeaderReplica(A, 1) { IsSeated = true }.WithLog(newer), Three, 0)!.Value.Ask,
            B, isSeated: true, log: old).Log.Step);
    }

    private static Ask Ask(Term term) => new(term, 4, default(ClusterMap<long>).SetItem(A, 1).SetItem(B, 5).SetItem(C, 9), default, 0);

    private static LeaderReplica Leading(UpdateConfirmation confirmation)
    {
        var (asking, ask) = LeaderElection.AskFor(new(A, 1) { IsSeated = true }, Three, 0)!.Value;
        var leading = Answered(Answered(asking, ask, B, isSeated: true, confirmation), ask, C, isSeated: true, confirmation);
        Assert.NotNull(leading.Leadership);
        return leading;
    }

    private static LeaderReplica Answered(
        LeaderReplica replica, Ask ask, ClusterId from, bool isSeated, UpdateConfirmation confirmation = UpdateConfirmation.Replicated,
        ClusterMap<long> known = default, ReplicaLog? log = null) =>
        LeaderElection.Take(replica, from, ask.Term, new(true, ask.Term, 4, 2, isSeated, known, log), confirmation);
}
