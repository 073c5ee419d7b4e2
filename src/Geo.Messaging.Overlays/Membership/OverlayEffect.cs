namespace Geo.Messaging.Overlays;

/// <summary>Something that a membership strategy wants done. Effects are carried out in their order.</summary>
public abstract record OverlayEffect
{
    /// <summary>Dial an address and keep it dialled whenever no link to the peer there is up.</summary>
    /// <param name="Address">Where a peer listens; dialling it twice changes nothing.</param>
    public sealed record Connect(PeerAddress Address) : OverlayEffect;

    /// <summary>Dial an address no more; a link that is up stays up.</summary>
    /// <param name="Address">The address.</param>
    public sealed record CancelConnect(PeerAddress Address) : OverlayEffect;

    /// <summary>
    /// Close the link with a peer, after what was sent before, and dial the peer no more. No
    /// <see cref="OverlayEvent.LinkDown"/> follows here; one does at the other end.
    /// </summary>
    /// <param name="Peer">The peer.</param>
    public sealed record Disconnect(PeerId Peer) : OverlayEffect;

    /// <summary>Send something to the strategy of a linked peer; dropped, and counted, when there is no link or no room.</summary>
    /// <param name="To">The peer.</param>
    /// <param name="Payload">What to send.</param>
    public sealed record Send(PeerId To, ReadOnlyMemory<byte> Payload) : OverlayEffect;

    /// <summary>The members, this one included. Those of them with a link are the neighbours that messages are passed to.</summary>
    /// <param name="Members">All members as known here.</param>
    public sealed record MembersChanged(IReadOnlyList<OverlayMember> Members) : OverlayEffect;

    /// <summary>This peer is no longer a member, by its own wish or another's. The strategy has disconnected already.</summary>
    public sealed record Left : OverlayEffect;
}
