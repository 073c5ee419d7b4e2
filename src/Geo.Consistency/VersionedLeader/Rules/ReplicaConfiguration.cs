using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>The clusters among which a grain's replicas agree, as one cluster knows them.</summary>
/// <param name="Number">Grows with every change.</param>
/// <param name="Clusters">The clusters.</param>
/// <param name="Former">Those of the configuration before, until this one is processed everywhere.</param>
internal sealed record ReplicaConfiguration(long Number, ImmutableArray<ClusterId> Clusters, ImmutableArray<ClusterId> Former)
{
    /// <summary>As many that two sets of them have one in common.</summary>
    internal int Majority => LeaderRules.IsOff(LeaderRule.Majority) ? Math.Max(1, Clusters.Length / 2) : (Clusters.Length / 2) + 1;

    /// <summary>
    /// So many of the clusters of the configuration before that none of its majorities is without one of them: what one of these has
    /// confirmed is known to one that answers, and no other one confirms from then on. Where one cluster comes or goes, a majority of the
    /// present configuration has them anyway; where more do, it may not.
    /// </summary>
    internal int EnoughFormer => LeaderRules.IsOff(LeaderRule.FormerMajority) ? 0 : (Former.Length + 1) / 2;

    /// <summary>True where a leader and one follower are a majority.</summary>
    internal bool IsPair => Clusters.Length <= 3;

    /// <summary>All whom a candidate asks.</summary>
    internal IEnumerable<ClusterId> Asked =>
        LeaderRules.IsOff(LeaderRule.FormerAreAsked) ? Clusters : Clusters.Union(Former);

    internal bool Includes(ClusterId cluster) => Clusters.Contains(cluster);

    /// <summary>When updates are confirmed under this configuration, given what the grain's class asks for.</summary>
    internal UpdateConfirmation Resolve(UpdateConfirmation asked) => Resolve(asked, Clusters);

    /// <summary>
    /// True where a leader of this configuration, or of the one before, may have confirmed what it alone knows: then all must answer who
    /// could be it.
    /// </summary>
    internal bool MayConfirmAlone(UpdateConfirmation asked) =>
        Resolve(asked) == UpdateConfirmation.Leader
        || (!Former.IsEmpty && Resolve(asked, Former) == UpdateConfirmation.Leader && !LeaderRules.IsOff(LeaderRule.FormerAreAsked));

    private static UpdateConfirmation Resolve(UpdateConfirmation asked, ImmutableArray<ClusterId> clusters) =>
        asked != UpdateConfirmation.Default ? asked
        : clusters.Length == 2 ? UpdateConfirmation.Leader : UpdateConfirmation.Replicated;
}
