namespace Geo.Messaging.Overlays.Tests;

public sealed class HyParViewTests
{
    private readonly Random _random = new(1);

    [Fact]
    public void A_peer_that_another_joined_by_still_joins_its_own_contact()
    {
        var contact = Member("contact", 1);
        var peer = Start(Member("self", 2), new HyParViewOptions());
        (peer, _) = peer.Handle(new OverlayEvent.JoinAsked(default, contact.Address!), _random);
        var joiner = Member("joiner", 3);
        (peer, _) = peer.Handle(new OverlayEvent.LinkUp(default, joiner), _random);
        (peer, _) = peer.Handle(new OverlayEvent.Received(default, joiner, new[] { (byte)HyParViewKind.Join }), _random);
        (peer, _) = peer.Handle(new OverlayEvent.Received(default, joiner, new[] { (byte)HyParViewKind.Accept }), _random);
        (peer, _) = peer.Handle(new OverlayEvent.Tick(TimeSpan.FromHours(1)), _random);

        var (_, effects) = peer.Handle(new OverlayEvent.LinkUp(TimeSpan.FromHours(1), contact), _random);

        Assert.Contains(
            effects,
            effect => effect is OverlayEffect.Send { To: var to } send && to == contact.Peer
                && send.Payload.Span[0] == (byte)HyParViewKind.Join);
    }

    [Fact]
    public void Handling_an_event_changes_nothing_but_what_it_returns()
    {
        var before = Start(Member("self", 2), new HyParViewOptions());
        var joiner = Member("joiner", 3);
        (before, _) = before.Handle(new OverlayEvent.LinkUp(default, joiner), _random);
        var join = new OverlayEvent.Received(default, joiner, new[] { (byte)HyParViewKind.Join });

        var first = before.Handle(join, new Random(5));
        var second = before.Handle(join, new Random(5));

        Assert.Equal(first.Effects.Count, second.Effects.Count);
        Assert.Contains(first.Effects, effect => effect is OverlayEffect.MembersChanged { Members.Count: 2 });
        Assert.Contains(second.Effects, effect => effect is OverlayEffect.MembersChanged { Members.Count: 2 });
    }

    [Fact]
    public void A_full_view_gives_one_neighbour_up_for_an_urgent_one_and_refuses_another()
    {
        var peer = Start(Member("self", 2), new HyParViewOptions());
        IReadOnlyList<OverlayEffect> effects = [];
        for (var number = 0; number < 8; number++)
        {
            var other = Member($"p{number}", 10 + number);
            (peer, _) = peer.Handle(new OverlayEvent.LinkUp(default, other), _random);
            (peer, effects) = peer.Handle(
                new OverlayEvent.Received(default, other, new byte[] { (byte)HyParViewKind.Neighbour, (byte)(number == 7 ? 1 : 0) }),
                _random);
            if (number == 6)
            {
                Assert.Equal((byte)HyParViewKind.Reject, Assert.IsType<OverlayEffect.Send>(Assert.Single(effects)).Payload.Span[0]);
            }
        }

        Assert.Single(effects, effect => effect is OverlayEffect.Disconnect);
        Assert.Equal(7, effects.OfType<OverlayEffect.MembersChanged>().Last().Members.Count);
    }

    private static IMembershipStrategy Start(OverlayMember self, HyParViewOptions options) =>
        OverlayCatalog.BuiltIn.Create(new OverlayOptions { Overlay = HyParView.Name, HyParView = options }, self);

    private static OverlayMember Member(string peer, int port) => new(new PeerId(peer), new PeerAddress("host", port), 1);
}
