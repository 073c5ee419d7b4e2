using Geo.Messaging.Overlays;

namespace Geo.Messaging.Tests.Overlays;

public sealed class TreeRouterTests
{
    private static readonly PeerId s_self = new("self");
    private static readonly PeerId s_a = new("a");
    private static readonly PeerId s_b = new("b");
    private static readonly PeerId s_far = new("far");

    private readonly List<PeerId> _sentTo = [];
    private readonly TreeRouter _router;

    public TreeRouterTests()
    {
        _router = new TreeRouter(new RouterOptions(), s_self, (to, _) => _sentTo.Add(to));
        _router.Neighbours.Add(s_a, true);
        _router.Neighbours.Add(s_b, true);
    }

    [Fact]
    public void A_neighbour_is_sent_to_directly_and_an_unknown_peer_over_the_whole_tree()
    {
        _router.Send(s_b, 1, default, [s_a, s_b]);
        Assert.Equal([s_b], _sentTo);

        _router.Send(s_far, 1, default, [s_a, s_b]);
        Assert.Equal([s_b, s_a, s_b], _sentTo);
    }

    [Fact]
    public void A_peer_that_was_heard_of_is_sent_to_where_it_was_heard()
    {
        _router.Learn(s_far, s_b);
        _router.Send(s_far, 1, default, [s_a, s_b]);

        Assert.Equal([s_b], _sentTo);
    }

    [Fact]
    public void A_message_that_a_later_one_overtook_is_dropped_and_counted()
    {
        Assert.True(Receive(2));
        Assert.False(Receive(1));
        Assert.False(Receive(2));
        Assert.True(Receive(3));
        Assert.Equal(2, _router.Overtaken);

        bool Receive(ulong sequence) => _router.Receive(Message(s_self, sequence, 1), s_a, relays: true, [s_a, s_b]);
    }

    [Fact]
    public void A_message_is_forwarded_once_and_not_beyond_the_most_hops()
    {
        _router.Receive(Message(s_far, 1, 1), s_a, relays: true, [s_a, s_b]);
        _router.Receive(Message(s_far, 1, 1), s_b, relays: true, [s_a, s_b]);
        Assert.Equal([s_b], _sentTo);

        _router.Receive(Message(s_far, 2, 128), s_a, relays: true, [s_a, s_b]);
        _router.Receive(Message(s_far, 3, 1), s_a, relays: false, [s_a, s_b]);
        Assert.Equal([s_b], _sentTo);
        Assert.Equal(2, _router.Undeliverable);
    }

    private static RoutedMessage Message(PeerId to, ulong sequence, int hops) => new(new BroadcastId(new PeerId("origin"), 1, sequence), to, hops, default);
}
