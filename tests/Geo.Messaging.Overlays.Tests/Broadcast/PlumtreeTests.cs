using System.Text;

namespace Geo.Messaging.Overlays.Tests;

public sealed class PlumtreeTests
{
    private static readonly PeerId Origin = new("origin");
    private static readonly PeerId Self = new("self");
    private static readonly PeerId PeerA = new("a");
    private static readonly PeerId PeerB = new("b");

    [Fact]
    public void A_message_that_overtook_another_waits_for_it()
    {
        var peer = new Peer();
        peer.Take(PeerA, 2);
        Assert.Empty(peer.Delivered);

        peer.Take(PeerA, 1);
        Assert.Equal(["1", "2"], peer.Delivered);
    }

    [Fact]
    public void What_was_broadcast_before_the_first_neighbour_told_how_far_it_is_is_neither_delivered_nor_asked_for()
    {
        var peer = new Peer();
        peer.Announce(PeerA, 1);
        Assert.Empty(peer.HaveTold);

        peer.Summarize(PeerA, 1);
        peer.Tree.Tick(TimeSpan.FromSeconds(1));
        Assert.Equal([PeerA], peer.HaveTold);
        Assert.Equal(0, peer.Tree.Counts.Grafts);

        peer.Take(PeerA, 2);
        Assert.Equal(["2"], peer.Delivered);
    }

    [Fact]
    public void A_message_that_comes_twice_is_delivered_once_and_its_link_leaves_the_tree()
    {
        var peer = new Peer();
        peer.Take(PeerA, 1);
        peer.Take(PeerB, 1);

        Assert.Equal(["1"], peer.Delivered);
        Assert.Equal([PeerA], peer.Tree.Eager);
        Assert.Equal(1, peer.Tree.Counts.Duplicates);
    }

    [Fact]
    public void A_message_missing_for_too_long_is_skipped_and_counted()
    {
        var peer = new Peer();
        peer.Take(PeerA, 1);
        peer.Take(PeerA, 4);
        peer.Tree.Tick(TimeSpan.FromSeconds(9));
        Assert.Equal(["1"], peer.Delivered);

        peer.Tree.Tick(TimeSpan.FromSeconds(10));
        Assert.Equal(["1", "4"], peer.Delivered);
        Assert.Equal(2, peer.Tree.Counts.Lost);

        peer.Take(PeerA, 2);
        Assert.Equal(["1", "4"], peer.Delivered);
    }

    [Fact]
    public void A_later_incarnation_begins_anew_and_outdates_the_earlier()
    {
        var peer = new Peer();
        peer.Take(PeerA, 1);
        peer.Take(PeerA, 1, incarnation: 2);
        peer.Take(PeerA, 2);

        Assert.Equal(["1", "1"], peer.Delivered);
    }

    [Fact]
    public void An_announced_message_that_does_not_come_is_asked_for_and_the_link_joins_the_tree()
    {
        var (one, other) = (new Peer(), new Peer());
        one.Take(PeerA, 1);
        one.Sent.Clear();
        var graft = new List<byte[]>();

        other.Tree.NeighbourDown(PeerB);
        other.Tree.NeighbourUp(PeerB);
        other.Take(PeerB, 9, incarnation: 0);
        other.Take(PeerA, 9, incarnation: 0);
        other.Sent.Clear();
        other.Announce(PeerA, 1);
        other.Tree.Tick(TimeSpan.FromMilliseconds(499));
        Assert.Empty(other.Sent);
        other.Tree.Tick(TimeSpan.FromMilliseconds(500));
        graft.AddRange(other.Sent.Where(sent => sent.To == PeerA).Select(sent => sent.Frame));

        one.Handle(PeerB, Assert.Single(graft));
        other.Handle(PeerA, Assert.Single(one.Sent, sent => sent.To == PeerB).Frame);
        Assert.Contains("1", other.Delivered);
        Assert.Contains(PeerA, other.Tree.Eager);
    }

    [Theory]
    [InlineData(6, 1, true)]
    [InlineData(6, 2, false)]
    [InlineData(1, 0, false)]
    public void A_much_shorter_way_takes_the_place_of_that_in_the_tree(int hops, int announced, bool isTaken)
    {
        var peer = new Peer();
        peer.Take(PeerA, 1);
        peer.Take(PeerB, 1);
        peer.Take(PeerA, 2, hops: hops - 1);
        peer.Sent.Clear();

        peer.Announce(PeerB, 2, announced);

        Assert.Equal(isTaken ? [PeerB] : [PeerA], peer.Tree.Eager);
        Assert.Equal(isTaken ? 1 : 0, peer.Tree.Counts.Shortened);

        // What the one was still owed as a lazy neighbour, that it is in the tree now, and that the other is not.
        Assert.Equal(isTaken ? [PeerB, PeerB, PeerA] : [], peer.Sent.Select(sent => sent.To));

        // Both ends agree: the one is in the tree of the other, without a message sent again, and out of it.
        var (taken, left) = (new Peer(), new Peer());
        foreach (var (to, frame) in peer.Sent)
        {
            var other = to == PeerB ? taken : left;
            other.Sent.Clear();
            other.Handle(PeerA, frame);
            Assert.Empty(other.Sent);
            Assert.Equal(to == PeerB, other.Tree.Eager.Contains(PeerA));
        }
    }

    [Fact]
    public void A_neighbour_that_announces_a_message_again_and_again_is_asked_in_its_turn_and_costs_no_more()
    {
        var missing = new MissingMessages(new PlumtreeOptions());
        var id = new BroadcastId(Origin, 1, 1);
        for (var time = 0; time < 1000; time++)
        {
            missing.Announced(id, PeerA, TimeSpan.Zero);
        }

        missing.Announced(id, PeerB, TimeSpan.Zero);

        var asked = Enumerable.Range(1, 4).Select(second => Assert.Single(missing.Due(TimeSpan.FromSeconds(second), _ => true)).From);
        Assert.Equal([PeerA, PeerB, PeerA, PeerB], asked);
    }

    [Fact]
    public void A_new_neighbour_is_told_of_what_it_lacks()
    {
        var (behind, ahead) = (new Peer(), new Peer());
        behind.Take(PeerA, 1);
        ahead.Take(PeerA, 1);
        ahead.Take(PeerA, 2);
        var (newcomer, old) = (new PeerId("newcomer"), new PeerId("old"));
        behind.Sent.Clear();
        behind.Tree.NeighbourUp(old);
        ahead.Sent.Clear();
        ahead.Handle(newcomer, Assert.Single(behind.Sent).Frame);
        behind.Handle(old, Assert.Single(ahead.Sent).Frame);
        behind.Sent.Clear();
        behind.Tree.Tick(TimeSpan.FromSeconds(1));

        Assert.Equal(old, Assert.Single(behind.Sent).To);
        Assert.Equal(1, behind.Tree.Counts.Grafts);
    }

    /// <summary>It is the origin's to say what it broadcasts: who says it in its stead takes nothing from what it says later.</summary>
    [Fact]
    public void What_a_neighbour_says_in_a_peers_own_name_counts_for_nothing_there()
    {
        var peer = new Peer();
        peer.Summarize(PeerA, 7, Self);
        peer.Take(PeerA, 1, origin: Self);
        peer.Take(PeerA, 3, origin: Self);
        for (var number = 1; number <= 4; number++)
        {
            peer.Tree.Broadcast(Self, 1, Encoding.UTF8.GetBytes($"mine {number}"), TimeSpan.FromMinutes(number));
            peer.Tree.Tick(TimeSpan.FromMinutes(number));
        }

        Assert.Equal(["mine 1", "mine 2", "mine 3", "mine 4"], peer.Delivered);
    }

    [Fact]
    public void Damaged_frames_are_refused_and_deliver_nothing()
    {
        var random = new Random(3);
        var peer = new Peer();
        var frame = new byte[40];
        for (var round = 0; round < 20_000; round++)
        {
            random.NextBytes(frame);
            frame[0] = (byte)random.Next(8);
            var length = random.Next(frame.Length);
            try
            {
                peer.Handle(PeerA, frame[..length]);
            }
            catch (GeoSerializationException)
            {
                continue;
            }
        }

        Assert.All(peer.Delivered, text => Assert.True(text.Length < frame.Length));
    }

    private sealed class Peer : IBroadcastOutlet
    {
        public Peer()
        {
            Tree = new Plumtree(Self, new PlumtreeOptions(), new PlumtreeCounts(), this);
            Tree.NeighbourUp(PeerA);
            Tree.NeighbourUp(PeerB);
        }

        public Plumtree Tree { get; }

        public List<string> Delivered { get; } = [];

        public List<(PeerId To, byte[] Frame)> Sent { get; } = [];

        public List<PeerId> HaveTold { get; } = [];

        public void Send(PeerId to, PayloadWriter frame) => Sent.Add((to, frame.ToArray()));

        public bool TrySendToAll(PayloadWriter frame) => false;

        public void Told(PeerId by) => HaveTold.Add(by);

        public void Deliver(BroadcastId id, ReadOnlyMemory<byte> payload, int hops) => Delivered.Add(Encoding.UTF8.GetString(payload.Span));

        public void Handle(PeerId from, byte[] frame)
        {
            var reader = new PayloadReader(frame);
            Tree.Handle(from, ref reader, relays: true, TimeSpan.Zero);
        }

        public void Take(PeerId from, ulong sequence, long incarnation = 1, int hops = 0, PeerId? origin = null)
        {
            var frame = new PayloadWriter();
            frame.WriteByte(1);
            new BroadcastId(origin ?? Origin, incarnation, sequence).WriteTo(frame);
            frame.WriteUnsigned((ulong)hops);
            frame.WriteBytes(Encoding.UTF8.GetBytes($"{sequence}"));
            Handle(from, frame.ToArray());
        }

        public void Summarize(PeerId from, ulong last, PeerId? origin = null)
        {
            var frame = new PayloadWriter();
            frame.WriteByte(5);
            frame.WriteUnsigned(1);
            new BroadcastMark(new BroadcastId(origin ?? Origin, 1, last), 1).WriteTo(frame);
            Handle(from, frame.ToArray());
        }

        public void Announce(PeerId from, ulong sequence, int hops = 0)
        {
            var frame = new PayloadWriter();
            frame.WriteByte(2);
            frame.WriteUnsigned(1);
            new BroadcastId(Origin, 1, sequence).WriteTo(frame);
            frame.WriteUnsigned((ulong)hops);
            Handle(from, frame.ToArray());
        }
    }
}
