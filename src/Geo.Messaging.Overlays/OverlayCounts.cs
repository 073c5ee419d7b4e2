namespace Geo.Messaging.Overlays;

/// <summary>What was dropped at a peer of an overlay, and why.</summary>
/// <param name="NotSent">Frames that the transport did not take: no link, or no room.</param>
/// <param name="NotLinked">Frames that came from a peer without a link in the overlay, such as one that has just been left.</param>
/// <param name="Malformed">Frames that could not be read.</param>
/// <param name="TooMany">
/// Frames that came while as many waited as <see cref="OverlayOptions.WaitingFrames"/> and <see cref="OverlayOptions.WaitingBytes"/> allow.
/// </param>
/// <param name="Unrouted">Frames of others that this peer could not pass on: no way led on, or they had crossed too many links.</param>
/// <param name="Undeliverable">
/// Messages of this peer to one other that were given up because nothing acknowledged them; whether they were delivered is not known.
/// </param>
/// <param name="SentAgain">Times that this peer sent a message to one other once more.</param>
/// <param name="Overtaken">Messages to this peer that came once more, or after a later one of their sender.</param>
/// <param name="TooEarly">
/// Messages to this peer for which the one before did not come in time, or which found no room to wait for it.
/// </param>
/// <param name="Broadcasts">What the broadcasts did.</param>
public sealed record OverlayCounts(
    long NotSent, long NotLinked, long Malformed, long TooMany, long Unrouted, long Undeliverable, long SentAgain, long Overtaken,
    long TooEarly,
    PlumtreeCounts Broadcasts);
