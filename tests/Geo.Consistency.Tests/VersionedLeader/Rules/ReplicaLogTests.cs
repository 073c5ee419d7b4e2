namespace Geo.Consistency.Tests.VersionedLeader.Rules;

/// <summary>What a history of decisions says of itself, and how a replica keeps the last ones.</summary>
public sealed class ReplicaLogTests
{
    private static readonly ClusterId A = new("a");
    private static readonly ClusterId B = new("b");
    private static readonly ClusterId C = new("c");
    private static readonly Term First = new(1, A, 1);
    private static readonly Term Second = new(2, B, 1);

    [Fact]
    public void Terms_are_in_order_by_counter_then_cluster_then_memory()
    {
        Term[] terms = [default, new(1, A, 1), new(1, A, 2), new(1, B, 1), new(2, A, 1)];

        Assert.Equal(terms, terms.Reverse().Order());
        for (var i = 0; i + 1 < terms.Length; i++)
        {
            Assert.True(terms[i] < terms[i + 1] && terms[i] <= terms[i + 1] && terms[i + 1] > terms[i] && terms[i + 1] >= terms[i]);
            Assert.True(terms[i] <= terms[i] && terms[i] >= terms[i]);
            Assert.False(terms[i] < terms[i] || terms[i] > terms[i] || terms[i + 1] <= terms[i] || terms[i] >= terms[i + 1]);
            Assert.Equal(terms[i + 1], Term.Max(terms[i], terms[i + 1]));
            Assert.Equal(terms[i + 1], Term.Max(terms[i + 1], terms[i]));
        }

        Assert.True(terms[0].IsNone);
        Assert.False(terms[1].IsNone);
    }

    [Fact]
    public void A_later_terms_history_is_newer_and_of_one_term_the_one_with_more_decisions()
    {
        var log = ReplicaLog.Nothing.Begin(First) with { Step = 5 };

        Assert.True(log.IsNewerThan(ReplicaLog.Nothing));
        Assert.True(log.IsNewerThan(First, 4));
        Assert.False(log.IsNewerThan(First, 5));
        Assert.False(log.IsNewerThan(Second, 1));
        Assert.True((ReplicaLog.Nothing.Begin(Second) with { Step = 1 }).IsNewerThan(log));
        Assert.Equal(default, ReplicaLog.Nothing.At);
    }

    [Fact]
    public void A_version_is_of_the_last_term_that_began_below_it()
    {
        var log = (ReplicaLog.Nothing.Begin(First) with { Version = 3 }).Begin(Second) with { Version = 5 };

        Assert.Equal(default(VersionBase), log.BaseOf(0));
        Assert.Equal(new VersionBase(First, 1), log.BaseOf(1));
        Assert.Equal(new VersionBase(First, 3), log.BaseOf(3));
        Assert.Equal(new VersionBase(Second, 4), log.BaseOf(4));
        Assert.Equal(new VersionBase(Second, 5), log.BaseOf(5));
        Assert.Null(log.BaseOf(6));
        Assert.Null((log with { Starts = [new(Second, 3)] }).BaseOf(3));
    }

    [Fact]
    public void A_term_that_made_no_version_is_not_remembered_and_of_more_than_are_kept_the_newest_are()
    {
        Assert.Equal([new TermStart(Second, 0)], ReplicaLog.Nothing.Begin(First).Begin(Second).Starts);

        var log = ReplicaLog.Nothing;
        for (var counter = 1; counter <= ReplicaLog.MaxStarts + 2; counter++)
        {
            log = log.Begin(new(counter, A, 1)) with { Version = counter };
            Assert.Equal(Math.Min(counter, ReplicaLog.MaxStarts), log.Starts.Length);
        }

        Assert.Equal(new(new(3, A, 1), 2), log.Starts[0]);
        Assert.Equal(new(new(ReplicaLog.MaxStarts + 2, A, 1), ReplicaLog.MaxStarts + 1), log.Starts[^1]);
    }

    [Fact]
    public void A_replica_shows_the_newest_log_that_is_confirmed_and_keeps_a_bounded_number_of_those_after_it()
    {
        var replica = new LeaderReplica(A, 1);
        for (var step = 1; step <= 20; step++)
        {
            replica = replica.WithLog(At(First, step));
            Assert.InRange(replica.Tail.Length, 1, 8);
            Assert.Equal(step, replica.Tail[^1].Step);
        }

        var confirmed = replica.Confirm(replica.Tail[2].Step);
        Assert.Equal(replica.Tail[2], confirmed.Shown);
        Assert.Equal(replica.Tail[3..], confirmed.Tail);
        Assert.Equal(replica.Tail[2].Step, confirmed.Confirmed);

        var between = replica.Confirm(replica.Tail[0].Step - 1);
        Assert.Equal((replica.Shown, replica.Tail[0].Step - 1), (between.Shown, between.Confirmed));
        Assert.Same(confirmed, confirmed.Confirm(confirmed.Confirmed - 1));
        Assert.Empty(replica.Confirm(20).Tail);
        Assert.Equal(20, replica.Confirm(20).Shown.Step);
    }

    [Fact]
    public void What_an_earlier_term_had_not_confirmed_is_not_shown_later()
    {
        var replica = new LeaderReplica(A, 1).WithLog(At(First, 1)).WithLog(At(First, 2)).WithLog(At(Second, 3));

        Assert.Equal([3L], replica.Tail.Select(log => log.Step));
    }

    [Fact]
    public void Each_state_that_is_remembered_counts_once()
    {
        var replica = new LeaderReplica(A, 1).WithLog(At(First, 1)).WithLog(At(First, 2)).WithLog(At(First, 3));
        Assert.Equal(3 * 10, replica.StateBytes);

        replica = replica.Confirm(1);
        Assert.Equal(3 * 10, replica.StateBytes);
        Assert.Equal(10, replica.Confirm(3).StateBytes);
    }

    [Theory]
    [InlineData(false, true, 0, true)]
    [InlineData(true, false, 0, true)]
    [InlineData(true, true, 2, true)]
    [InlineData(true, true, 1, false)]
    public void The_next_configuration_waits_for_replicas_that_know_of_a_term_and_not_of_this_configuration(
        bool isSeated, bool hasTerm, long under, bool hasProcessed)
    {
        var replica = new LeaderReplica(A, 1) { IsSeated = isSeated, LogConfiguration = under };

        Assert.Equal(hasProcessed, (hasTerm ? replica.WithLog(At(First, 1)) : replica).HasProcessed(2));
    }

    [Fact]
    public void A_replica_remembers_the_last_memory_and_the_highest_term_that_it_heard_of()
    {
        var replica = new LeaderReplica(A, 1) { Promised = First };
        var heard = replica.Hear(B, 7, Second);

        Assert.Equal((7, Second, Second), (heard.Known.GetValueOrDefault(B), heard.Heard!.Term, heard.Highest));
        Assert.Same(heard, heard.Hear(B, 7, First));
        Assert.Equal(8, heard.Hear(B, 8, First).Known.GetValueOrDefault(B));
        Assert.Equal(Second, heard.Hear(B, 8, First).Heard!.Term);
        Assert.Same(replica, replica.Hear(A, 7, First));
        Assert.Same(replica, replica.Hear(B, 0, First));
        Assert.Null(heard.HeardAbove(Second));
        Assert.Equal(Second, heard.HeardAbove(First)!.Term);
        Assert.Equal(Second, replica.WithLog(At(Second, 1)).Highest);
    }

    [Fact]
    public void A_map_keeps_one_value_a_cluster_in_their_order()
    {
        var map = default(ClusterMap<int>).SetItem(B, 2).SetItem(A, 1).SetItem(C, 3).SetItem(B, 4);

        Assert.Equal([(A, 1), (B, 4), (C, 3)], map.Select(entry => (entry.Key, entry.Value)));
        Assert.Equal([1, 4, 3], map.Values);
        Assert.Equal((3, true, false), (map.Count, map.ContainsKey(C), map.Remove(C).ContainsKey(C)));
        Assert.Equal([A, C], map.Remove(B).Select(entry => entry.Key));
        Assert.True(map == map.Remove(new("d")));
        Assert.True(map.Remove(A).Remove(B).Remove(C) == default);
        Assert.False(map.TryGetValue(new("d"), out _));
        Assert.True(map.TryGetValue(A, out var first) && first == 1);
        Assert.Equal(0, map.GetValueOrDefault(new("d")));
    }

    private static ReplicaLog At(Term term, long step) =>
        ReplicaLog.Nothing.Begin(term) with { Step = step, Version = step, State = new byte[10] };
}
