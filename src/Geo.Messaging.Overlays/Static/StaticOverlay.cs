using System.Collections.Immutable;

namespace Geo.Messaging.Overlays;

/// <summary>
/// The overlay <c>static</c>: the members are those whose addresses this peer was told to join, and those who joined it (Partisan ATC'19
/// section 3.1). Nothing is gossiped; a member that is down stays one and is dialled until it is back or has left.
/// </summary>
/// <remarks>
/// Every two peers that are to hear each other must be joined. A peer that comes back under a new address joins the others itself, since
/// the old address is all that they know. <see cref="OverlayNode.Remove"/> parts this peer and the other only.
/// </remarks>
public sealed class StaticOverlay : IMembershipStrategy
{
    /// <summary>What a configuration calls it.</summary>
    public const string Name = "static";

    private static readonly ReadOnlyMemory<byte> Parted = new byte[] { 1 };

    /// <summary>Creates the overlay of one peer.</summary>
    /// <param name="self">The peer.</param>
    public StaticOverlay(OverlayMember self) =>
        (Self, Known, Linked, Dialled) = (self, ImmutableSortedDictionary<PeerId, OverlayMember>.Empty, [], []);

    private StaticOverlay(
        StaticOverlay before, ImmutableSortedDictionary<PeerId, OverlayMember> known, ImmutableSortedSet<PeerId> linked,
        ImmutableHashSet<PeerAddress> dialled) =>
        (Self, Known, Linked, Dialled) = (before.Self, known, linked, dialled);

    /// <inheritdoc/>
    public OverlayMember Self { get; }

    /// <inheritdoc/>
    public bool Relays => false;

    private ImmutableSortedDictionary<PeerId, OverlayMember> Known { get; }

    private ImmutableSortedSet<PeerId> Linked { get; }

    private ImmutableHashSet<PeerAddress> Dialled { get; }

    /// <inheritdoc/>
    public OverlayStep Handle(OverlayEvent happened, Random random) => happened switch
    {
        OverlayEvent.JoinAsked join => new(
            new StaticOverlay(this, Known, Linked, Dialled.Add(join.Contact)), [new OverlayEffect.Connect(join.Contact)]),
        OverlayEvent.LinkUp up => Next(Known.SetItem(up.Member.Peer, up.Member), Linked.Add(up.Member.Peer), ReplacedAddress(up.Member)),
        OverlayEvent.LinkDown down => new(new StaticOverlay(this, Known, Linked.Remove(down.Member.Peer), Dialled), []),
        OverlayEvent.Received parted => Part(parted.From.Peer, tell: false),
        OverlayEvent.LeaveAsked leave when leave.Peer == Self.Peer => Leave(),
        OverlayEvent.LeaveAsked leave => Part(leave.Peer, tell: true),
        _ => new(this, []),
    };

    private IEnumerable<OverlayEffect> ReplacedAddress(OverlayMember member) =>
        Known.TryGetValue(member.Peer, out var old) && old.Address is { } address && address != member.Address
            ? [new OverlayEffect.CancelConnect(address)]
            : [];

    private OverlayStep Part(PeerId peer, bool tell)
    {
        if (!Known.TryGetValue(peer, out var member))
        {
            return new(this, []);
        }

        List<OverlayEffect> effects = tell ? [new OverlayEffect.Send(peer, Parted)] : [];
        effects.Add(new OverlayEffect.Disconnect(peer));
        if (member.Address is { } address)
        {
            effects.Add(new OverlayEffect.CancelConnect(address));
        }

        return Next(Known.Remove(peer), Linked.Remove(peer), effects);
    }

    private OverlayStep Leave() => new(
        new StaticOverlay(Self),
        [
            .. Linked.Select(peer => new OverlayEffect.Send(peer, Parted)),
            .. Linked.Select(peer => new OverlayEffect.Disconnect(peer)),
            .. Dialled.Union(Known.Values.Select(member => member.Address).OfType<PeerAddress>()).OrderBy(address => address.ToString())
                .Select(address => new OverlayEffect.CancelConnect(address)),
            new OverlayEffect.Left(),
        ]);

    private OverlayStep Next(
        ImmutableSortedDictionary<PeerId, OverlayMember> known, ImmutableSortedSet<PeerId> linked, IEnumerable<OverlayEffect> effects) =>
        new(new StaticOverlay(this, known, linked, Dialled), [.. effects, new OverlayEffect.MembersChanged([Self, .. known.Values])]);
}
