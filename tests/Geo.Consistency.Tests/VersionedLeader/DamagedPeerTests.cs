using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.VersionedLeader;

/// <summary>Peers that answer with what no sound build of Geo sends.</summary>
public sealed class DamagedPeerTests
{
    [Theory]
    [InlineData(new byte[] { 2, 11, 1 })]
    [InlineData(new byte[] { 2, 12, 1, 200 })]
    [InlineData(new byte[] { 2, 99 })]
    public void A_damaged_reply_is_tried_again_though_nobody_calls(byte[] damaged)
    {
        var world = new LeaderWorld("a", "a", "b") { Confirmation = UpdateConfirmation.Leader };
        world.Run(async () =>
        {
            var lane = world.Scheduler.CreateLane("damaged");
            using (world.Network.Join(new("a"), lane).Handle(ReplicaExchange.Service, (_, _) => new((ReadOnlyMemory<byte>)damaged)))
            {
                await world.Add("b").Do(view => view.Enqueue("b1"));
                await world.Delay(1_000);
                Assert.NotNull(world["b"].View.Issue);
                lane.Halt();
            }

            world.Add("a");
            await world.Delay(10_000);
        });

        Assert.Equal(["b1"], world["b"].View.Confirmed.Lines);
        Assert.Null(world["b"].View.Issue);
    }

    [Theory]
    [InlineData(Term.MaxCounter + 1)]
    [InlineData(long.MaxValue)]
    public void A_term_that_no_further_one_could_follow_is_damaged(long counter)
    {
        var term = new Term(counter, new("b"), 7);
        var ask = ElectionCodec.Write(new Ask(term, 1, default, default, 0));
        Assert.Throws<GeoSerializationException>(() =>
        {
            var reader = new PayloadReader(ask.AsSpan(1));
            ElectionCodec.ReadAsk(ref reader);
        });
    }

    [Fact]
    public void A_log_whose_numbers_leave_no_room_for_further_decisions_is_damaged()
    {
        var log = ReplicaLog.Nothing.Begin(new(1, new("a"), 1));
        Assert.All(
            [log with { Step = long.MaxValue }, log with { Version = long.MaxValue }],
            damaged => Assert.Throws<GeoSerializationException>(() =>
            {
                var writer = new PayloadWriter();
                TermCodec.Write(writer, damaged);
                var reader = new PayloadReader(writer.Written.Span);
                TermCodec.ReadLog(ref reader);
            }));
    }
}
