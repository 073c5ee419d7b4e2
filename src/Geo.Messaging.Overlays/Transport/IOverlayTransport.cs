namespace Geo.Messaging.Overlays;

/// <summary>What an overlay runs over: links between peers, as a <see cref="MessagingNode"/> or a simulated network has them.</summary>
public interface IOverlayTransport
{
    /// <summary>The local peer.</summary>
    PeerId Peer { get; }

    /// <summary>Where others can dial this peer; null when it only dials.</summary>
    PeerAddress? Address { get; }

    /// <summary>Begins to tell a listener of links and frames, of links that are up already first.</summary>
    /// <param name="listener">The overlay.</param>
    /// <returns>Ends it.</returns>
    IDisposable Listen(IOverlayListener listener);

    /// <summary>Dials an address and keeps it dialled. Never waits; dialling twice changes nothing.</summary>
    void Connect(PeerAddress address);

    /// <summary>Dials an address no more; a link that is up stays up.</summary>
    void CancelConnect(PeerAddress address);

    /// <summary>Closes the link with a peer, after what was sent before, and dials the peer no more.</summary>
    /// <returns>Ends when the frames have left.</returns>
    Task DisconnectAsync(PeerId peer);

    /// <summary>Sends a frame to a linked peer, in order with those sent before. Never waits.</summary>
    /// <param name="to">The peer.</param>
    /// <param name="frame">The bytes; copied before the call returns.</param>
    /// <returns>False when it was certainly not sent: no link, or no room.</returns>
    bool TrySend(PeerId to, ReadOnlyMemory<byte> frame);

    /// <summary>
    /// Sends a frame to all linked peers, in order with those sent to each of them before, where one sending serves all. Never waits.
    /// </summary>
    /// <param name="frame">The bytes; copied before the call returns.</param>
    /// <returns>False, as by default, when it was certainly sent to none: each is to be sent to by itself.</returns>
    bool TrySendToAll(ReadOnlyMemory<byte> frame) => false;
}
