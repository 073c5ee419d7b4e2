namespace Geo.Directory;

/// <summary>What a round was run on. A row keeps it, so that what has changed since is noticed when the row's node is gone.</summary>
/// <param name="Incarnation">The life of this cluster (<see cref="ILocalInstances.Incarnation"/>).</param>
/// <param name="Configuration">The version of the configuration whose clusters were asked.</param>
internal readonly record struct RoundBasis(long Incarnation, long Configuration)
{
    /// <summary>
    /// Whether a round that was run on this has asked every cluster that one would be asked by now, and in the same life: nobody may own
    /// what it came to own. Clusters that have gone since, or changed their stage, make no difference; one that has come does (rule C7 of
    /// the design of regions).
    /// </summary>
    /// <param name="present">What a round would be run on now.</param>
    /// <param name="since">The version since which no cluster has come (<see cref="LiveConfiguration.Since"/>).</param>
    public bool Covers(RoundBasis present, long since) =>
        Incarnation == present.Incarnation && Configuration >= since && Configuration <= present.Configuration;
}
