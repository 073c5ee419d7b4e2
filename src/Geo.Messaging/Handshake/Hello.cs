namespace Geo.Messaging;

/// <summary>The dialler's half of the handshake, on every connection of a link.</summary>
/// <param name="Versions">The wire versions it speaks.</param>
/// <param name="From">Who it is.</param>
/// <param name="ExpectedCluster">The cluster it wants to reach; none for any.</param>
/// <param name="Link">The dialler's number for the link.</param>
/// <param name="Plan">The connections that the link is to have.</param>
/// <param name="Lane">Which of them this is; the first one opens the link, the others belong to it.</param>
/// <param name="MaxMessageBytes">The largest payload it takes.</param>
/// <param name="MaxGatheredBytes">The most bytes of large messages that a channel gathers.</param>
/// <param name="Facts">What its host tells.</param>
internal sealed record Hello(
    WireVersions Versions, PeerIdentity From, ClusterId ExpectedCluster, ulong Link, LanePlan Plan, LaneId Lane, int MaxMessageBytes,
    int MaxGatheredBytes = 0, ReadOnlyMemory<byte> Facts = default)
{
    /// <summary>True for the connection that opens the link.</summary>
    public bool OpensLink => Lane == Plan.Lanes[0];
}
