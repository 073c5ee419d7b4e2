namespace Geo.Messaging.Overlays;

/// <summary>Hears what happens on an <see cref="IOverlayTransport"/>. Called from any thread; never blocks.</summary>
public interface IOverlayListener
{
    /// <summary>A link with a peer came up.</summary>
    void LinkUp(PeerId peer);

    /// <summary>A link with a peer went down.</summary>
    void LinkDown(PeerId peer);

    /// <summary>A frame arrived.</summary>
    /// <param name="from">The peer that sent it.</param>
    /// <param name="frame">The bytes; valid during the call.</param>
    void Received(PeerId from, ReadOnlySpan<byte> frame);
}
