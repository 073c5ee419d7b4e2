namespace Geo.Messaging;

/// <summary>The dialler's half of the handshake.</summary>
/// <param name="Versions">The wire versions it speaks.</param>
/// <param name="From">Who it is.</param>
/// <param name="ExpectedCluster">The cluster it wants to reach; none for any.</param>
/// <param name="Channel">The channel that the connection is for.</param>
/// <param name="Lane">Which of the channel's connections it is, from 0.</param>
/// <param name="MaxMessageBytes">The largest payload it takes.</param>
internal sealed record Hello(
    WireVersions Versions, PeerIdentity From, ClusterId ExpectedCluster, string Channel, int Lane, int MaxMessageBytes);
