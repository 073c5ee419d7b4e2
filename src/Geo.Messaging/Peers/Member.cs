namespace Geo.Messaging;

/// <summary>A peer that this node has a link to.</summary>
/// <param name="Peer">Its name.</param>
/// <param name="Cluster">The cluster it speaks for; none for a client.</param>
/// <param name="Incarnation">Which start of the peer this is: a later start has a higher number.</param>
public sealed record Member(PeerId Peer, ClusterId Cluster, long Incarnation);
