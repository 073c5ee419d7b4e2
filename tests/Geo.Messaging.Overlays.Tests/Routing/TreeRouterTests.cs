namespace Geo.Messaging.Overlays.Tests;

public sealed class TreeRouterTests
{
    private static readonly PeerId Self = new("self");
    private static readonly PeerId PeerA = new("a");
    private static readonly PeerId PeerB = new("b");
    private static readonly PeerId Far = new("far");

    private readonly List<PeerId> _sentTo = [];
    private readonly TreeRouter _router;

    public TreeRouterTests()
    {
        _router = new TreeRouter(new RouterOptions(), Self, (to, _) =>
        {
            _sentTo.Add(to);
            return true;
        });
        _router.Neighbours.Add(PeerA, true);
        _router.Neighbours.Add(PeerB, true);
    }

    [Fact]
    public void A_neighbour_is_sent_to_directly_and_an_unknown_peer_over_the_whole_tree()
    {
        _router.Send(PeerB, 1, default, floods: false, [PeerA, PeerB]);
        Assert.Equal([PeerB], _sentTo);

        _router.Send(Far, 1, default, floods: false, [PeerA, PeerB]);
        Assert.Equal([PeerB, PeerA, PeerB], _sentTo);
    }

    [Fact]
    public void A_peer_that_was_heard_of_is_sent_to_where_it_was_heard()
    {
        _router.Learn(Far, PeerB);
        _router.Send(Far, 1, default, floods: false, [PeerA, PeerB]);

        Assert.Equal([PeerB], _sentTo);
    }

    [Fact]
    public void A_frame_that_floods_goes_over_every_link_whatever_way_is_known()
    {
        _router.Learn(Far, PeerB);
        _router.Send(Far, 1, default, floods: true, [PeerB]);

        Assert.Equal([PeerA, PeerB], _sentTo);
    }

    [Fact]
    public void A_frame_that_comes_by_several_ways_is_taken_once_and_the_first_way_is_learnt()
    {
        Assert.True(_router.Receive(Message(Self, 1, 1), PeerA, relays: true, []));
        Assert.False(_router.Receive(Message(Self, 1, 1), PeerB, relays: true, []));

        _router.Send(new PeerId("origin"), 1, default, floods: false, []);
        Assert.Equal([PeerA], _sentTo);
    }

    [Fact]
    public void A_message_is_forwarded_once_and_not_beyond_the_most_hops()
    {
        _router.Receive(Message(Far, 1, 1), PeerA, relays: true, [PeerA, PeerB]);
        _router.Receive(Message(Far, 1, 1), PeerB, relays: true, [PeerA, PeerB]);
        Assert.Equal([PeerB], _sentTo);

        _router.Receive(Message(Far, 2, 128), PeerA, relays: true, [PeerA, PeerB]);
        _router.Receive(Message(Far, 3, 1), PeerA, relays: false, [PeerA, PeerB]);
        Assert.Equal([PeerB], _sentTo);
        Assert.Equal(2, _router.Unrouted);
    }

    private static RoutedMessage Message(PeerId to, ulong sequence, int hops) =>
        new(new BroadcastId(new PeerId("origin"), 1, sequence), to, hops, Floods: false, default);
}
