using System.Collections.Immutable;
using Geo.Messaging.Overlays;

namespace Geo.Messaging.Amqp;

/// <summary>Whoever says to be there is a member: the broker's exchange is the membership, and nothing is gossiped.</summary>
internal sealed record AmqpMembership(OverlayMember Self) : IMembershipStrategy
{
    // What a member is told that another has removed.
    private static readonly ReadOnlyMemory<byte> Removed = new byte[] { 1 };

    public bool Relays => false;

    private ImmutableSortedDictionary<PeerId, OverlayMember> Others { get; init; } = ImmutableSortedDictionary<PeerId, OverlayMember>.Empty;

    private ImmutableList<PeerAddress> Brokers { get; init; } = [];

    public OverlayStep Handle(OverlayEvent happened, Random random) => happened switch
    {
        OverlayEvent.JoinAsked join => Present(join.Contact),
        OverlayEvent.Tick when Brokers.IsEmpty && Self.Address is { } broker => Present(broker),
        OverlayEvent.LinkUp up => Next(Others.SetItem(up.Member.Peer, up.Member)),
        OverlayEvent.LinkDown down => Next(Others.Remove(down.Member.Peer)),
        OverlayEvent.Received { Payload: var payload } when payload.Span.SequenceEqual(Removed.Span) => Leave(),
        OverlayEvent.Received received => throw new GeoSerializationException(
            $"{received.From} sent what no member of '{AmqpOverlay.Name}' sends."),
        OverlayEvent.LeaveAsked leave when leave.Peer == Self.Peer => Leave(),
        OverlayEvent.LeaveAsked leave when Others.ContainsKey(leave.Peer) => new(this, [new OverlayEffect.Send(leave.Peer, Removed)]),
        _ => new(this, []),
    };

    private OverlayStep Present(PeerAddress broker) =>
        new(this with { Brokers = Brokers.Add(broker) }, [new OverlayEffect.Connect(broker)]);

    private OverlayStep Next(ImmutableSortedDictionary<PeerId, OverlayMember> others) =>
        new(this with { Others = others }, [new OverlayEffect.MembersChanged([Self, .. others.Values])]);

    private OverlayStep Leave() => new(
        this with { Others = Others.Clear() },
        [
            .. Others.Keys.Select(peer => new OverlayEffect.Disconnect(peer)),
            .. Brokers.Distinct().Select(broker => new OverlayEffect.CancelConnect(broker)),
            new OverlayEffect.Left(),
        ]);
}
