namespace Geo.Consistency;

/// <summary>The term of a replica that leads.</summary>
/// <param name="Term">The term.</param>
/// <param name="Configuration">The configuration for which it is.</param>
/// <param name="Confirmation">When its updates are confirmed; never the default.</param>
/// <param name="Names">The memory of each other cluster that takes part.</param>
/// <param name="Start">The step that it began from.</param>
/// <param name="Acks">What each other cluster has acknowledged.</param>
/// <param name="Round">The newest round of appends.</param>
internal sealed record Leadership(
    Term Term,
    ReplicaConfiguration Configuration,
    UpdateConfirmation Confirmation,
    ClusterMap<long> Names,
    long Start,
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
