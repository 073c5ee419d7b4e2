namespace Geo.Messaging;

/// <summary>Who a peer says it is in the handshake.</summary>
/// <param name="Peer">Its name.</param>
/// <param name="Cluster">Its cluster; none for a client.</param>
/// <param name="ClusterInstance">What tells its cluster from another of the same id.</param>
/// <param name="Incarnation">Which start of the peer it is.</param>
internal sealed record PeerIdentity(PeerId Peer, ClusterId Cluster, string ClusterInstance, long Incarnation)
{
    /// <summary>The name in its certificate that allows it to; null without TLS. It does not travel.</summary>
    public CertifiedPeer? CertifiedAs { get; init; }

    /// <summary>What it is known by: peers of two clusters, or a client and a silo, may have one name and are not the same.</summary>
    public (ClusterId Cluster, PeerId Peer) Place => (Cluster, Peer);

    /// <summary>True when another connection comes from the same start of the same peer, as far as certificates tell.</summary>
    public bool IsSameStart(PeerIdentity other) =>
        Place == other.Place && Incarnation == other.Incarnation && CertifiedAs == other.CertifiedAs;

    public override string ToString() => Cluster.IsNone ? $"client {Peer}" : $"{Peer} of cluster {Cluster}";
}
