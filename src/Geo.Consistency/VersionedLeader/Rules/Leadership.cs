namespace Geo.Consistency;

/// <summary>What a replica that leads keeps for its term, which is that of its log.</summary>
/// <param name="Configuration">The configuration for which it is.</param>
/// <param name="Confirmation">When its updates are confirmed; never the default.</param>
/// <param name="Names">The memory of each other cluster that takes part.</param>
/// <param name="Acks">What each other cluster has acknowledged.</param>
/// <param name="Round">The newest round of appends.</param>
internal sealed record Leadership(
    ReplicaConfiguration Configuration,
    UpdateConfirmation Confirmation,
    ClusterMap<long> Names,
    ClusterMap<FollowerAck> Acks,
    long Round)
{
    /// <summary>True when a majority, the leader included, has acknowledged a step, in a round or later.</summary>
    internal bool IsAcknowledged(ClusterId leader, long step, long round)
    {
        var acknowledged = 0;
        foreach (var cluster in Configuration.Clusters)
        {
            acknowledged += cluster == leader || (Acks.TryGetValue(cluster, out var ack) && ack.Step >= step && ack.Round >= round) ? 1 : 0;
        }

        return acknowledged >= Configuration.Majority;
    }
}
