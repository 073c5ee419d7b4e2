namespace Geo.Consistency.Tests.ReadReplicas;

/// <summary>Random schedules of the rules alone: the bound holds in all.</summary>
public sealed class ReadExplorationTests
{
    /// <summary>How many schedules a run has; by the environment's GEO_READ_SCHEDULES for more.</summary>
    private static readonly int Schedules =
        int.TryParse(Environment.GetEnvironmentVariable("GEO_READ_SCHEDULES"), out var schedules) ? schedules : 20_000;

    [Theory]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    public void Whatever_was_confirmed_a_bound_ago_is_read_and_no_copy_goes_back(bool isStored, bool isSetBack)
    {
        var (reads, misses) = (0L, 0L);
        for (var seed = 1; seed <= Schedules; seed++)
        {
            var world = new ExploredReadWorld(seed, isStored, isSetBack);
            try
            {
                world.Run();
            }
            catch (InvalidOperationException e)
            {
                Assert.Fail($"schedule {seed}: {e.Message}");
            }

            reads += world.Reads;
            misses += world.Misses;
        }

        TestContext.Current.SendDiagnosticMessage($"{Schedules} schedules: {reads} reads, {misses} misses");
        Assert.True(reads > Schedules / 10 && misses > Schedules / 10);
    }

    [Fact]
    public void A_store_that_was_set_back_is_followed()
    {
        var known = Answered(null, new(0, 7, 1, TimeSpan.Zero, new byte[] { 7 }), sentAt: 10, receivedAt: 20)!;

        // That may have been read before version 7 was written.
        Assert.Equal(7, Answered(known, new(0, 5, 2, TimeSpan.FromTicks(8), new byte[] { 5 }), sentAt: 25, receivedAt: 30)!.Version);
        Assert.Equal(5, Answered(known, new(0, 5, 2, TimeSpan.FromTicks(2), new byte[] { 5 }), sentAt: 25, receivedAt: 30)!.Version);
    }

    [Fact]
    public void Another_version_of_the_same_number_is_taken_where_it_was_looked_for_later()
    {
        var known = Answered(null, new(0, 7, 1, TimeSpan.Zero, new byte[] { 7 }), sentAt: 10, receivedAt: 20)!;
        var early = Answered(known, new(0, 7, 2, TimeSpan.FromTicks(8), new byte[] { 8 }), sentAt: 25, receivedAt: 30)!;
        Assert.Equal((7, known.AsOf), (early.State.Span[0], early.AsOf));
        Assert.Equal(8, Answered(known, new(0, 7, 2, TimeSpan.Zero, new byte[] { 8 }), sentAt: 25, receivedAt: 30)!.State.Span[0]);
        Assert.False(new ReadFeedPoll(true, 0, 7, 1, TimeSpan.Zero).Has(0, 7, 2));
    }

    [Fact]
    public void A_session_finds_what_it_has_seen_in_the_same_history_only()
    {
        var stored = Answered(null, new(0, 7, 1, TimeSpan.Zero, new byte[] { 7 }), sentAt: 10, receivedAt: 20)!;
        Assert.True(stored.Contains(SessionMark.Stored(1, 7)));
        Assert.False(stored.Contains(SessionMark.Stored(1, 8)));
        Assert.False(stored.Contains(SessionMark.Pending(1, 3, new(1, 1))));
        var single = Answered(null, new(9, 7, 0, TimeSpan.Zero, new byte[] { 7 }), sentAt: 10, receivedAt: 20)!;
        Assert.True(single.Contains(SessionMark.Single(1, 9u, 6)));
        Assert.False(single.Contains(SessionMark.Single(1, 8u, 6)));
        Assert.False(single.Contains(SessionMark.Stored(1, 6)));
    }

    [Fact]
    public void A_question_and_an_answer_come_as_they_were_sent()
    {
        var poll = new ReadFeedPoll(true, uint.MaxValue, 17, 3, TimeSpan.FromMilliseconds(3));
        Assert.Equal(poll, ReadFeedPoll.Read(poll.Write()));
        var answer = ReadFeedAnswer.Read(new ReadFeedAnswer(5, long.MaxValue, 9, TimeSpan.FromSeconds(1), new byte[] { 1, 2 }).Write());
        Assert.Equal((5u, long.MaxValue, 9u, TimeSpan.FromSeconds(1)), (answer.History, answer.Version, answer.Edition, answer.Age));
        Assert.Equal([1, 2], answer.State!.Value.ToArray());
        Assert.Null(ReadFeedAnswer.Read(new ReadFeedAnswer(0, 0, 0, TimeSpan.Zero, null).Write()).State);
        Assert.Throws<GeoSerializationException>(() => ReadFeedAnswer.Read(new byte[] { 1 }));
    }

    private static ReadCopy? Answered(ReadCopy? copy, ReadFeedAnswer answer, long sentAt, long receivedAt) =>
        ReadCopyRules.On(copy, answer, 1, At(sentAt), At(receivedAt), TimeSpan.FromTicks(1000));

    private static TwoClocks At(long ticks) => new(TimeSpan.FromTicks(ticks), TimeSpan.FromTicks(ticks));
}
