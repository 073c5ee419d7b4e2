namespace Geo.Consistency.Tests.ReadReplicas;

/// <summary>
/// What a read replica makes of an answer, rule by rule; what the rules promise together is explored (ReadExplorationTests).
/// </summary>
public sealed class ReadCopyRulesTests
{
    private static readonly byte[] State = [7];

    /// <summary>Version 7 of the instance 5, by question 3, sent at 10 and answered at 20.</summary>
    private static readonly ReadCopy Known = On(null, new(5, 7, 0, TimeSpan.Zero, State), poll: 3, sentAt: 10)!;

    [Fact]
    public void Of_two_instances_the_one_counts_that_was_asked_later()
    {
        ReadFeedAnswer other = new(6, 2, 0, TimeSpan.Zero, State);

        Assert.Equal((6u, 2, 4), Named(On(Known, other, poll: 4, sentAt: 11)));
        Assert.Same(Known, On(Known, other, poll: 3, sentAt: 11));
        Assert.Same(Known, On(Known, other, poll: 2, sentAt: 11));
        Assert.Same(Known, On(Known, other with { State = null }, poll: 4, sentAt: 11));
    }

    [Fact]
    public void A_newer_version_is_taken_with_its_bytes_and_not_without()
    {
        ReadFeedAnswer newer = new(5, 8, 0, TimeSpan.Zero, State);

        Assert.Equal((5u, 8, 4), Named(On(Known, newer, poll: 4, sentAt: 11)));
        Assert.Equal((5u, 8, 3), Named(On(Known, newer, poll: 2, sentAt: 11)));
        Assert.Same(Known, On(Known, newer with { State = null }, poll: 4, sentAt: 11));
        Assert.Null(On(null, newer with { State = null }, poll: 4, sentAt: 11));
    }

    [Fact]
    public void An_older_version_changes_nothing_but_the_question_that_was_answered()
    {
        ReadFeedAnswer older = new(5, 6, 0, TimeSpan.Zero, State);

        Assert.Equal(Known with { Poll = 4 }, On(Known, older, poll: 4, sentAt: 15));
        Assert.Equal(Known, On(Known, older, poll: 2, sentAt: 15));
    }

    [Fact]
    public void The_version_that_is_known_is_as_young_as_the_latest_question_that_found_it()
    {
        ReadFeedAnswer same = new(5, 7, 0, TimeSpan.Zero, null);

        Assert.Equal(Known with { AsOf = At(30), Poll = 4 }, On(Known, same, poll: 4, sentAt: 30));
        Assert.Equal(Known, On(Known, same, poll: 2, sentAt: 5));
        Assert.Equal(Known, On(Known, same with { Age = TimeSpan.FromTicks(30) }, poll: 3, sentAt: 30));
    }

    [Fact]
    public void A_copy_is_fresh_up_to_its_bound_by_the_clock_that_has_moved_further()
    {
        Assert.True(Known.IsFresh(At(1010)));
        Assert.False(Known.IsFresh(At(1011)));
        Assert.False(Known.IsFresh(new TwoClocks(TimeSpan.FromTicks(20), TimeSpan.FromTicks(1011))));
        Assert.False(Known.IsFresh(new TwoClocks(TimeSpan.FromTicks(1011), TimeSpan.FromTicks(20))));
        Assert.Equal(SessionMark.Single(1, 5u, 7), Known.Mark(1));
        Assert.Equal(SessionMark.Stored(1, 7), (Known with { History = 0 }).Mark(1));
    }

    private static (uint, long, long) Named(ReadCopy? copy) => (copy!.History, copy.Version, copy.Poll);

    private static ReadCopy? On(ReadCopy? copy, ReadFeedAnswer answer, long poll, long sentAt) =>
        ReadCopyRules.On(copy, answer, poll, At(sentAt), At(sentAt + 10), TimeSpan.FromTicks(1000));

    private static TwoClocks At(long ticks) => new(TimeSpan.FromTicks(ticks), TimeSpan.FromTicks(ticks));
}
