namespace Geo.Consistency;

/// <summary>Where an instance sends its updates, and when its own cluster is to lead in the place of one that is out of reach.</summary>
/// <remarks>A part of the instance, which has one for each grain: it keeps nothing that the instance has.</remarks>
internal struct LeaderSearch
{
    private long _unreachableSince;

    /// <summary>The cluster that leads, or is to lead.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="named">The cluster that its class names.</param>
    /// <param name="configuration">The clusters.</param>
    /// <param name="replica">What is known here.</param>
    internal static ClusterId Target(GrainKey key, ClusterId named, ReplicaConfiguration configuration, LeaderReplica replica)
    {
        var owner = replica.Highest.Cluster;
        return !replica.Highest.IsNone && configuration.Includes(owner) ? owner
            : LeaderChoice.Of(key, named, configuration.Clusters);
    }

    /// <summary>
    /// True when the leader's cluster has been out of reach for so long that another one is to lead, and this is the next, or has waited
    /// for that, too.
    /// </summary>
    internal readonly bool MayTakeOver(
        GrainKey key, GrainDeclaration declaration, ReplicaMemories silo, LeaderReplica replica, ClusterId leader)
    {
        var configuration = silo.Configuration;
        if (_unreachableSince == 0 || replica.Highest.IsNone || configuration.MayConfirmAlone(declaration.Confirmation))
        {
            return false;
        }

        var order = LeaderChoice.Order(key, declaration.Leader, configuration.Clusters).Where(c => c != leader).ToList();
        var place = order.IndexOf(replica.Cluster);
        return place >= 0 && silo.Time.GetElapsedTime(_unreachableSince) >= silo.Options.TakeOverAfter * (1 + (place * 0.5));
    }

    /// <summary>True from the first time that the leader's cluster has not answered until it does.</summary>
    internal readonly bool IsMissing => _unreachableSince != 0;

    /// <summary>The leader's cluster has answered, be it that it does not lead.</summary>
    internal void Reached() => _unreachableSince = 0;

    /// <summary>The leader's cluster has not answered.</summary>
    internal void Missed(TimeProvider time) => _unreachableSince = _unreachableSince == 0 ? time.GetTimestamp() : _unreachableSince;
}
