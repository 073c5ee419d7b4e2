using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>What a replica takes for true of others that are heard out of order, or did not know of it yet.</summary>
public sealed class LatticePeerTests
{
    private readonly SimulationScheduler _scheduler = new();
    private TimeSpan _now;

    [Fact]
    public void Who_was_told_what_others_have_before_they_knew_of_it_has_not_joined()
    {
        var (here, there) = (Node(1, "there"), Node(2, "here"));
        there.Step(TimeSpan.Zero);
        Pass(there, "there", here);
        here.Step(TimeSpan.Zero);
        Assert.False(here.HasJoined);
        Pass(here, "here", there);
        there.Step(TimeSpan.FromSeconds(1));
        Pass(there, "there", here);
        here.Step(TimeSpan.FromSeconds(1));
        Assert.True(here.HasJoined);
    }

    [Fact]
    public void Whom_another_one_knew_when_it_had_less_is_not_heard_any_more()
    {
        var source = new ReplicaId(3);
        var data = Node(1, "there").Data;
        var peer = new LatticePeer(new(2), new(new("there")));
        peer.Hear(Status(VectorClock.Of(source, 5), everyone: 7), knowsThis: true, data, TimeSpan.Zero);
        peer.Hear(Status(VectorClock.Of(source, 4), everyone: 9), knowsThis: true, data, TimeSpan.Zero);
        Assert.Equal(7ul, peer.Everyone);
        peer.Hear(Status(VectorClock.Of(source, 5), everyone: 9), knowsThis: true, data, TimeSpan.Zero);
        Assert.Equal(9ul, peer.Everyone);
    }

    [Fact]
    public void Only_what_configured_clusters_say_undamaged_makes_a_replica_take_part_in_what_it_has_no_part_in()
    {
        var node = Node(1, "there", isHere: false);
        var status = Write(LatticeStatusFlags.CountsReceiver);
        node.Receive(new(new("stranger")), status, TimeSpan.Zero);
        Assert.Throws<GeoSerializationException>(() => node.Receive(new(new("there")), status.AsSpan(..^3), TimeSpan.Zero));
        node.Receive(new(new("there")), Write(LatticeStatusFlags.None), TimeSpan.Zero);
        Assert.Equal((false, 0), (node.Peers.TakesPart, node.Peers.All.Count));
        node.TakeOutput();
        node.Receive(new(new("stranger")), status, TimeSpan.Zero);
        node.Step(TimeSpan.Zero);
        Assert.Empty(node.TakeOutput());
        Assert.False(node.HasJoined);
        node.Receive(new(new("there")), status, TimeSpan.Zero);
        Assert.Equal((true, 1), (node.Peers.TakesPart, node.Peers.All.Count));

        static byte[] Write(LatticeStatusFlags flags)
        {
            var body = new LatticeWriter();
            (Status(VectorClock.Bottom, everyone: 2) with { Flags = flags }).Write(body);
            return LatticeEnvelope.For(LatticeEnvelope.Anyone, LatticeEnvelope.Write(LatticeMessageKind.Status, new(2), body));
        }
    }

    [Fact]
    public void What_may_be_taken_is_passed_on_to_one_that_answers_and_not_to_one_that_a_late_message_tells_of()
    {
        var stock = new LatticeClass<EscrowCounter>("stock", replicas: 1);
        var node = Node(1, "there", isHere: false, stock);
        var cell = (LatticeCell<EscrowCounter>)node.Data.Open(new("stock", "hall"), stock);
        node.Update(cell, static (state, origin) => state.Add(origin.Source, 5), TimeSpan.Zero);
        Hear(2, answers: 0);
        Assert.Equal(5, cell.State.Rights(new(1)));
        var asked = Asked();
        Hear(2, asked);
        Assert.Equal((0, 5), (cell.State.Rights(new(1)), cell.State.Rights(new(2))));

        // It has begun anew, and a message of before comes again; the new one is known once more by its own.
        node.Update(cell, static (state, origin) => state.Add(origin.Source, 3), TimeSpan.Zero);
        Hear(3, answers: 0);
        Hear(2, asked);
        Hear(3, answers: 0);
        Assert.Equal(3, cell.State.Rights(new(1)));
        Hear(3, Asked());
        Assert.Equal((0, 5, 3), (cell.State.Rights(new(1)), cell.State.Rights(new(2)), cell.State.Rights(new(3))));

        // Who stops gives them when it can wait until they are there.
        node.Update(cell, static (state, origin) => state.Add(origin.Source, 4), TimeSpan.Zero);
        node.Leave(_now);
        Hear(3, Asked());
        Assert.Equal((4, 3), (cell.State.Rights(new(1)), cell.State.Rights(new(3))));

        void Hear(ulong id, long answers)
        {
            var body = new LatticeWriter();
            (Status(VectorClock.Bottom, everyone: id) with { Members = [new(id)], Answers = answers }).Write(body);
            node.Receive(
                new(new("there")), LatticeEnvelope.For(new(1), LatticeEnvelope.Write(LatticeMessageKind.Status, new(id), body)), _now);
        }

        // The last asking once all waits are over.
        long Asked()
        {
            node.Step(_now);
            _now += TimeSpan.FromMinutes(1);
            node.Step(_now);
            return node.TakeOutput().Max(send =>
            {
                var body = LatticeEnvelope.ReadBody(send.Message, LatticeLimits.Default);
                return LatticeEnvelope.ReadHead(send.Message).Kind == LatticeMessageKind.Status ? LatticeStatus.Read(ref body).Ask : 0;
            });
        }
    }

    private static void Pass(LatticeNode from, string name, LatticeNode to)
    {
        foreach (var message in from.TakeOutput())
        {
            to.Receive(new(new(name)), message.Message, TimeSpan.Zero);
        }
    }

    private static LatticeStatus Status(VectorClock applied, ulong everyone) => new(
        applied, VectorClock.Bottom, 0, VectorClock.Bottom, VectorClock.Bottom, [new(2)], everyone, LatticeStatusFlags.None, 0, 0, new());

    private LatticeNode Node(ulong id, string other, bool isHere = true, LatticeClass? latticeClass = null) =>
        new(new(id), _scheduler.Time, new(), _ => latticeClass, () => [new LatticeAddress(new(other))], isHolder: () => isHere);
}
