namespace Geo.Messaging.Overlays;

/// <summary>What a frame between two peers of an overlay carries. The numbers travel on the wire.</summary>
internal enum OverlayFrameKind : byte
{
    /// <summary>An <see cref="OverlayHello"/>.</summary>
    Hello = 1,

    /// <summary>A payload of the membership strategy.</summary>
    Membership = 2,

    /// <summary>A frame of <see cref="Plumtree"/>.</summary>
    Broadcast = 3,

    /// <summary>A <see cref="RoutedMessage"/>.</summary>
    Routed = 4,
}
