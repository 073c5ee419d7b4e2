namespace Geo.Consistency.Tests.VersionedLeader.Rules;

/// <summary>What a replica makes of what a leader tells it, rule by rule.</summary>
public sealed class LeaderFollowingTests
{
    private static readonly ClusterId A = new("a");
    private static readonly ClusterId B = new("b");
    private static readonly Term Former = new(1, B, 2);
    private static readonly Term Led = new(2, A, 1);
    private static readonly ReplicaLog Log = ReplicaLog.Nothing.Begin(Led) with { Step = 5, Version = 5 };

    /// <summary>The leader's words: its memory is 1, the follower's 2.</summary>
    private static readonly Append Told = new(Led, 4, 1, 2, 5, 3, ConfirmsAtOnce: false, 7, Log);

    [Fact]
    public void A_log_of_a_later_term_is_adopted_and_what_is_confirmed_of_it_shown()
    {
        var (following, answer) = LeaderFollowing.Take(new(B, 2) { Promised = Former }, A, Told);

        Assert.Equal(new(AppendAnswerKind.Adopted, Led, 4, 2, 5, 7), answer);
        Assert.Equal((Log, true, Led, 4, 4), (
            following.Log, following.IsSeated, following.Promised, following.PromisedConfiguration, following.LogConfiguration));
        Assert.Equal((3, 1, null), (following.Confirmed, following.Known.GetValueOrDefault(A), following.Heard));
        Assert.Equal(5, LeaderFollowing.Take(new(B, 2), A, Told with { ConfirmsAtOnce = true }).Replica.Confirmed);
        Assert.Equal(5, LeaderFollowing.Take(new(B, 2), A, Told with { Confirmed = 9 }).Replica.Confirmed);
    }

    [Fact]
    public void A_leader_of_an_earlier_term_than_one_promised_is_refused()
    {
        var (refusing, answer) = LeaderFollowing.Take(new(B, 2) { Promised = new(3, B, 2), PromisedConfiguration = 6 }, A, Told);

        Assert.Equal(new(AppendAnswerKind.Refused, new(3, B, 2), 6, 2, 0, 7), answer);
        Assert.Equal((ReplicaLog.Nothing, false), (refusing.Log, refusing.IsSeated));
    }

    [Fact]
    public void A_memory_that_the_leader_does_not_name_takes_part_only_in_the_term_that_it_promised_with_a_seat()
    {
        var unnamed = Told with { Named = 99 };

        Assert.Equal(AppendAnswerKind.Unseated, LeaderFollowing.Take(new(B, 2), A, unnamed).Answer.Kind);
        Assert.Equal(AppendAnswerKind.Unseated, LeaderFollowing.Take(new(B, 2) { Promised = Led }, A, unnamed).Answer.Kind);
        Assert.Equal(AppendAnswerKind.Unseated, LeaderFollowing.Take(new(B, 2) { IsSeated = true }, A, unnamed).Answer.Kind);
        Assert.Equal(
            AppendAnswerKind.Adopted, LeaderFollowing.Take(new(B, 2) { IsSeated = true, Promised = Led }, A, unnamed).Answer.Kind);
    }

    [Fact]
    public void A_log_of_a_later_term_stands_against_a_leader_of_an_earlier_one()
    {
        var replica = new LeaderReplica(B, 2).WithLog(ReplicaLog.Nothing.Begin(new(3, B, 2)));

        Assert.Equal(AppendAnswerKind.Refused, LeaderFollowing.Take(replica, A, Told).Answer.Kind);
    }

    [Fact]
    public void Who_lacks_the_log_and_is_not_told_it_says_so()
    {
        var (untold, knowing) = (Told with { Log = null }, new LeaderReplica(B, 2).WithLog(Log));

        Assert.Equal(AppendAnswerKind.Behind, LeaderFollowing.Take(new(B, 2), A, untold).Answer.Kind);
        Assert.Equal(AppendAnswerKind.Behind, LeaderFollowing.Take(knowing, A, untold with { Step = 6 }).Answer.Kind);
        Assert.Equal(AppendAnswerKind.Adopted, LeaderFollowing.Take(knowing, A, untold).Answer.Kind);
        Assert.Equal(5, LeaderFollowing.Take(knowing, A, untold with { Step = 4 }).Replica.Log.Step);
    }

    [Fact]
    public void What_was_known_of_configurations_does_not_go_back()
    {
        var replica = new LeaderReplica(B, 2) { PromisedConfiguration = 6, LogConfiguration = 6 }.WithLog(Log);

        var following = LeaderFollowing.Take(replica, A, Told).Replica;

        Assert.Equal((6, 6), (following.PromisedConfiguration, following.LogConfiguration));
    }

    [Fact]
    public void A_leader_that_is_told_a_later_terms_log_leads_no_more_and_one_that_hears_of_its_own_goes_on()
    {
        var (asking, ask) = LeaderElection.AskFor(new(B, 2), new(4, [B], []), 0)!.Value;
        var leading = LeaderElection.TryBegin(asking, UpdateConfirmation.Replicated);
        Assert.NotNull(leading.Leadership);

        Assert.Null(LeaderFollowing.Take(leading, A, Told).Replica.Leadership);
        var own = Told with { Term = ask.Term, Log = leading.Log with { Step = 1, Version = 1 }, Step = 1 };
        var hearing = LeaderFollowing.Take(leading, B, own).Replica;
        Assert.Equal((1, 0), (hearing.Log.Step, hearing.Confirmed));
        Assert.NotNull(hearing.Leadership);
    }

    [Fact]
    public void A_later_term_heard_of_is_not_forgotten()
    {
        var later = new Term(9, B, 2);

        Assert.Equal(later, LeaderFollowing.Take(new(B, 2) { Heard = new(later) }, A, Told).Replica.Heard!.Term);
    }
}
