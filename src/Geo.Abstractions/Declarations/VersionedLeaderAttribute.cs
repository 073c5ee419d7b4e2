namespace Geo;

/// <summary>
/// The latest version of the grain's state lives in the memory of one leader instance, to which the others send their updates
/// (GEO section 3.5, volatile leader-based). For volatile grains with an instance in every cluster.
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class VersionedLeaderAttribute : ViewProtocolAttribute
{
    /// <summary>The leader's cluster; chosen by rendezvous hash of the grain's key over the clusters when null.</summary>
    public string? Leader { get; init; }

    /// <summary>
    /// When an update is confirmed; by default once a majority of the clusters has it, or with two clusters once the leader has it.
    /// </summary>
    public UpdateConfirmation Confirmation { get; init; }
}
