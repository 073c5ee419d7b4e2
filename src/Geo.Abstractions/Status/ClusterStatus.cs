namespace Geo;

/// <summary>Another cluster, as a silo sees it.</summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="OutOfReach">
/// How long there has been no way to it, over this silo's links or a sibling's; zero while there is one.
/// </param>
/// <param name="Links">This silo's links with silos of that cluster; none where it has none, or a messenger of its own.</param>
public sealed record ClusterStatus(ClusterId Cluster, TimeSpan OutOfReach, IReadOnlyList<LinkStatus> Links)
{
    /// <summary>True while this silo, or a sibling that sends for it, has a link.</summary>
    public bool IsInReach => OutOfReach == TimeSpan.Zero;
}
