namespace Geo.Messaging.Overlays;

/// <summary>What was dropped at a peer of an overlay, and why.</summary>
/// <param name="NotSent">Frames that the transport did not take: no link, or no room.</param>
/// <param name="NotLinked">Frames that came from a peer without a link in the overlay, such as one that has just been left.</param>
/// <param name="Malformed">Frames that could not be read.</param>
/// <param name="TooMany">Frames that came while as many waited as <see cref="OverlayOptions.WaitingFrames"/> allows.</param>
/// <param name="Undeliverable">Messages to one peer to which no way led.</param>
/// <param name="Overtaken">Messages to this peer that came after a later one of their sender.</param>
/// <param name="Broadcasts">What the broadcasts did.</param>
public sealed record OverlayCounts(
    long NotSent, long NotLinked, long Malformed, long TooMany, long Undeliverable, long Overtaken, PlumtreeCounts Broadcasts);
