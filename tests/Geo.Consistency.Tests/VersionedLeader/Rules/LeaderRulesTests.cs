namespace Geo.Consistency.Tests.VersionedLeader.Rules;

/// <summary>The rules of leading one by one; what they promise together is explored (LeaderExplorationTests).</summary>
public sealed class LeaderRulesTests
{
    [Fact]
    public void Terms_of_two_leaders_are_never_the_same_one()
    {
        var configuration = new ReplicaConfiguration(1, [new("a"), new("b")], []);
        var terms = new[] { new LeaderReplica(new("a"), 1), new LeaderReplica(new("b"), 2), new LeaderReplica(new("a"), 3) }
            .Select(replica => LeaderElection.AskFor(replica, configuration, 0)!.Value.Ask.Term).ToArray();
        Assert.Equal(3, terms.Distinct().Count());
        Assert.True(terms[0] < terms[1] && terms[2] < terms[1]);
    }

    [Fact]
    public void Nobody_asks_for_a_term_that_others_would_take_for_damaged()
    {
        var replica = new LeaderReplica(new("a"), 1).Hear(new("b"), 7, new(Term.MaxCounter, new("b"), 7));
        Assert.Null(LeaderElection.AskFor(replica, new(1, [new("a"), new("b")], []), 0));
    }

    /// <summary>
    /// All memories are lost, and the next life begins 100 ms later, led by the one whose memory the earlier leader had named: what
    /// that said last is refused by the clock alone. No clock is set back; that one is behind the other is enough.
    /// </summary>
    [Theory]
    [InlineData(0, 1)]
    [InlineData(500, 0)]
    public void The_last_words_of_an_earlier_life_are_refused_unless_clocks_differ_by_more_than_the_next_took_to_begin(
        int behind, int remembered)
    {
        var (a, b) = (new ClusterId("a"), new ClusterId("b"));
        var both = new ReplicaConfiguration(1, [a, b], []);
        var earlier = Lead(new(a, 1), new(b, 2), both, clock: 1_000);
        earlier = LeaderDeciding.Take(
            earlier, b, earlier.Led, new(AppendAnswerKind.Unseated, default, 0, Incarnation: 3, 0, 0));
        var late = LeaderDeciding.Tell(earlier, b, 0, withLog: true);

        var later = Lead(new(b, 3), new(a, 4), both, clock: 1_100 - behind);
        later = LeaderDeciding.Decide(
            later, later.Led, LeaderDeciding.After(later.Log, 3, new(1, false), 1, new byte[] { 1 }, 64))!;
        Assert.Equal(1, later.Shown.Version);

        Assert.Equal(remembered, LeaderFollowing.Take(later, a, late).Replica.Log.Version);
    }

    private static LeaderReplica Lead(LeaderReplica candidate, LeaderReplica other, ReplicaConfiguration configuration, long clock)
    {
        var (asking, ask) = LeaderElection.AskFor(candidate, configuration, clock)!.Value;
        var (_, answer) = LeaderElection.Answer(other, candidate.Cluster, ask, configuration);
        return LeaderElection.Take(asking, other.Cluster, ask.Term, answer, UpdateConfirmation.Leader);
    }
}
