namespace Geo.Consistency.Tests.VersionedLeader.Rules;

/// <summary>How a leader decides, tells and hears what is confirmed, rule by rule.</summary>
public sealed class LeaderDecidingTests
{
    private const long Ann = 2;

    private static readonly ClusterId A = new("a");
    private static readonly ClusterId B = new("b");
    private static readonly ClusterId C = new("c");
    private static readonly ReplicaConfiguration Three = new(1, [A, B, C], []);
    private static readonly ReplicaConfiguration Five = new(1, [A, B, C, new("d"), new("e")], []);

    [Fact]
    public void A_decision_makes_versions_or_refuses_and_is_a_step_either_way()
    {
        var log = ReplicaLog.Nothing.Begin(new(1, A, 1)) with { Step = 4, Version = 7 };

        var next = LeaderDeciding.After(log, Ann, new(5, true), 2, new byte[] { 1 }, 8);

        Assert.Equal((5, 9, 1), (next.Step, next.Version, next.State.Length));
        Assert.True(next.Applied.TryGetNumber(Ann, out var number));
        Assert.Equal(new BatchNumber(5, true), BatchNumber.Decode(number));
        Assert.Equal(5, next.Applied.With(9, 1, 6, 1).ForgottenThrough);
    }

    [Fact]
    public void Who_does_not_lead_the_term_any_more_decides_nothing()
    {
        var leading = Leading(Three, UpdateConfirmation.Replicated);

        Assert.Null(LeaderDeciding.Decide(leading, new(9, B, 1), Decided(leading)));
        Assert.Null(LeaderDeciding.Decide(leading.StepDown(), leading.Led, Decided(leading)));
        Assert.Equal(1, LeaderDeciding.Decide(leading, leading.Led, Decided(leading))!.Log.Step);
    }

    [Fact]
    public void A_round_is_counted_by_who_leads()
    {
        var leading = Leading(Three, UpdateConfirmation.Replicated);

        Assert.Equal(1, LeaderDeciding.BeginRound(leading).Leadership!.Round);
        Assert.Same(leading.StepDown().Log, LeaderDeciding.BeginRound(leading.StepDown()).Log);
        Assert.Null(LeaderDeciding.BeginRound(leading.StepDown()).Leadership);
    }

    [Fact]
    public void What_a_leader_decides_is_confirmed_at_once_by_itself_or_once_a_majority_has_it()
    {
        var alone = Leading(Three, UpdateConfirmation.Leader);
        Assert.Equal(1, LeaderDeciding.Decide(alone, alone.Led, Decided(alone))!.Confirmed);

        var many = Leading(Five, UpdateConfirmation.Replicated);
        many = LeaderDeciding.Decide(many, many.Led, Decided(many))!;
        Assert.Equal(0, many.Confirmed);
        many = Acknowledged(many, B, 1);
        Assert.Equal(0, many.Confirmed);
        many = Acknowledged(many, C, 1);
        Assert.Equal((1, 1), (many.Confirmed, many.Shown.Version));
    }

    [Fact]
    public void What_a_cluster_has_acknowledged_does_not_go_back_and_is_forgotten_when_it_lacks_it()
    {
        var leading = Acknowledged(Leading(Five, UpdateConfirmation.Replicated), B, 5, round: 3);

        Assert.Equal(new FollowerAck(5, 3), Ack(Acknowledged(leading, B, 4, round: 2)));
        Assert.Equal(new FollowerAck(6, 4), Ack(Acknowledged(leading, B, 6, round: 4)));
        Assert.Equal(default, Ack(Answered(leading, B, AppendAnswerKind.Behind, 5, 3)));
        Assert.Equal(new FollowerAck(5, 3), Ack(Answered(leading, B, AppendAnswerKind.Refused, 5, 3)));
        Assert.Equal(new FollowerAck(5, 3), Ack(Answered(leading, B, AppendAnswerKind.Unseated, 5, 3)));
        Assert.Equal(new FollowerAck(5, 3), Ack(LeaderDeciding.Take(
            leading, B, new(9, B, 1), new(AppendAnswerKind.Behind, default, 1, 2, 5, 3))));

        var alone = Answered(Leading(Five, UpdateConfirmation.Leader), B, AppendAnswerKind.Unseated, 0, 0, memory: 77);
        Assert.Equal((77, default), (alone.Leadership!.Names.GetValueOrDefault(B), Ack(alone)));

        static FollowerAck Ack(LeaderReplica replica) => replica.Leadership!.Acks.GetValueOrDefault(B);
    }

    [Fact]
    public void A_majority_has_acknowledged_a_step_in_a_round_when_so_many_with_the_leader_have()
    {
        var leading = Acknowledged(Acknowledged(Leading(Five, UpdateConfirmation.Replicated), B, 5, round: 3), C, 6, round: 2).Leadership!;

        Assert.True(leading.IsAcknowledged(A, 5, 2));
        Assert.False(leading.IsAcknowledged(A, 6, 2));
        Assert.False(leading.IsAcknowledged(A, 5, 3));
        Assert.False(leading.IsAcknowledged(new("d"), 5, 3));
    }

    [Fact]
    public void A_leader_tells_a_cluster_what_it_lacks_and_what_that_one_may_show()
    {
        var leading = Leading(Three, UpdateConfirmation.Replicated);
        leading = Acknowledged(LeaderDeciding.Decide(leading, leading.Led, Decided(leading))!, B, 1);

        Assert.Equal(
            new(leading.Led, 1, 1, 2, 1, 1, ConfirmsAtOnce: true, 6, leading.Log), LeaderDeciding.Tell(leading, B, 6, withLog: true));
        Assert.Null(LeaderDeciding.Tell(leading, B, 6, withLog: false).Log);

        var five = Leading(Five, UpdateConfirmation.Replicated);
        Assert.False(LeaderDeciding.Tell(five, B, 6, withLog: true).ConfirmsAtOnce);
        var alone = Leading(Five, UpdateConfirmation.Leader);
        alone = LeaderDeciding.Decide(alone, alone.Led, Decided(alone))!;
        Assert.Equal((true, 1), Confirming(LeaderDeciding.Tell(alone, B, 6, withLog: true)));
        Assert.Equal((false, 0), Confirming(LeaderDeciding.Tell(alone, new("z"), 6, withLog: true)));
        Assert.Equal((false, 1), Confirming(LeaderDeciding.Tell(leading, new("z"), 6, withLog: true)));

        static (bool, long) Confirming(Append append) => (append.ConfirmsAtOnce, append.Confirmed);
    }

    [Fact]
    public void A_replicated_term_ends_with_its_configuration_and_one_that_confirms_alone_goes_on_while_it_may()
    {
        var next = Three with { Number = 2 };
        Assert.Null(LeaderDeciding.Process(Leading(Three, UpdateConfirmation.Replicated), next, UpdateConfirmation.Replicated).Leadership);

        var alone = Leading(Three, UpdateConfirmation.Leader) with { Candidacy = new(new(9, A, 1), Three, default, default) };
        var on = LeaderDeciding.Process(alone, next, UpdateConfirmation.Leader);
        Assert.Equal((2, 2, 2), (on.Leadership!.Configuration.Number, on.LogConfiguration, on.PromisedConfiguration));
        Assert.Null(on.Candidacy);

        Assert.Null(LeaderDeciding.Process(alone, next, UpdateConfirmation.Replicated).Leadership);
        Assert.Null(LeaderDeciding.Process(alone, new(2, [B, C], []), UpdateConfirmation.Leader).Leadership);
        Assert.Null(LeaderDeciding.Process(alone with { PromisedConfiguration = 3 }, next, UpdateConfirmation.Leader).Leadership);
        Assert.NotNull(LeaderDeciding.Process(alone, Three, UpdateConfirmation.Replicated).Leadership);
    }

    [Fact]
    public void Who_asks_for_an_earlier_configuration_stops_asking()
    {
        var asking = LeaderElection.AskFor(new(A, 1), Three, 0)!.Value.Replica;

        Assert.Null(LeaderDeciding.Process(asking, Three with { Number = 2 }, UpdateConfirmation.Default).Candidacy);
        Assert.NotNull(LeaderDeciding.Process(asking, Three, UpdateConfirmation.Default).Candidacy);
    }

    [Theory]
    [InlineData(1, 1, 1, true)]
    [InlineData(2, 2, 1, true)]
    [InlineData(3, 2, 2, true)]
    [InlineData(4, 3, 2, false)]
    [InlineData(5, 3, 3, false)]
    public void Two_majorities_have_a_cluster_in_common_and_so_many_of_the_former_ones_are_in_each_of_theirs(
        int clusters, int majority, int enoughFormer, bool isPair)
    {
        var some = Five.Clusters[..clusters];
        var configuration = new ReplicaConfiguration(1, some, some);

        Assert.Equal((majority, enoughFormer, isPair), (configuration.Majority, configuration.EnoughFormer, configuration.IsPair));
        Assert.Equal(some, configuration.Asked);
        Assert.Equal(0, new ReplicaConfiguration(1, some, []).EnoughFormer);
    }

    [Fact]
    public void Two_clusters_confirm_by_the_leader_alone_unless_they_are_told_otherwise()
    {
        var two = new ReplicaConfiguration(2, [A, B], [A, B, C]);
        Assert.Equal(UpdateConfirmation.Leader, two.Resolve(UpdateConfirmation.Default));
        Assert.Equal(UpdateConfirmation.Replicated, two.Resolve(UpdateConfirmation.Replicated));
        Assert.Equal(UpdateConfirmation.Replicated, Three.Resolve(UpdateConfirmation.Default));
        Assert.True(two.MayConfirmAlone(UpdateConfirmation.Default));
        Assert.False(two.MayConfirmAlone(UpdateConfirmation.Replicated));
        Assert.False(Three.MayConfirmAlone(UpdateConfirmation.Default));
        Assert.True((Three with { Former = [A, B] }).MayConfirmAlone(UpdateConfirmation.Default));
        Assert.False((Three with { Former = Five.Clusters }).MayConfirmAlone(UpdateConfirmation.Default));
        Assert.Equal([A, B, C], two.Asked.Order());
    }

    /// <summary>Leads, by the answers of all others, whose memories are 2, 3 and so on; A's is 1.</summary>
    private static LeaderReplica Leading(ReplicaConfiguration configuration, UpdateConfirmation confirmation)
    {
        var known = default(ClusterMap<long>);
        for (var i = 1; i < configuration.Clusters.Length; i++)
        {
            known = known.SetItem(configuration.Clusters[i], i + 1);
        }

        var (replica, ask) = LeaderElection.AskFor(new(A, 1) { Known = known }, configuration, 0)!.Value;
        foreach (var (cluster, memory) in known)
        {
            var answer = LeaderElection.Answer(new(cluster, memory), A, ask, configuration).Answer;
            replica = LeaderElection.Take(replica, cluster, ask.Term, answer, confirmation);
        }

        Assert.NotNull(replica.Leadership);
        return replica;
    }

    private static ReplicaLog Decided(LeaderReplica replica) =>
        LeaderDeciding.After(replica.Log, Ann, new(1, false), 1, new byte[] { 1 }, 8);

    private static LeaderReplica Acknowledged(LeaderReplica replica, ClusterId from, long step, long round = 0) =>
        Answered(replica, from, AppendAnswerKind.Adopted, step, round);

    private static LeaderReplica Answered(
        LeaderReplica replica, ClusterId from, AppendAnswerKind kind, long step, long round, long memory = 2) =>
        LeaderDeciding.Take(replica, from, replica.Led, new(kind, replica.Led, 1, memory, step, round));
}
