namespace Geo.Messaging.Overlays;

/// <summary>A broadcast that is kept for peers that miss it.</summary>
/// <param name="Payload">What it says.</param>
/// <param name="Hops">How many links it passed on its way here.</param>
/// <param name="From">The neighbour that brought it; the origin itself at the origin.</param>
internal sealed record KeptMessage(ReadOnlyMemory<byte> Payload, int Hops, PeerId From);
