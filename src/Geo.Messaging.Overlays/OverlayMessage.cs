namespace Geo.Messaging.Overlays;

/// <summary>A message that an overlay delivered.</summary>
/// <param name="From">The peer that sent it, neighbour or not.</param>
/// <param name="Payload">Its bytes; the receiver's to keep.</param>
/// <param name="IsBroadcast">True when it went to all members, false when it was for this one.</param>
/// <param name="Hops">How many links it crossed; 0 for a broadcast of this peer's own.</param>
public sealed record OverlayMessage(PeerId From, ReadOnlyMemory<byte> Payload, bool IsBroadcast, int Hops);
