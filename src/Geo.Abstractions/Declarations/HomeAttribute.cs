namespace Geo;

/// <summary>
/// Where the one instance of the grain lives: in a cluster by name, or with its callers. For classes with
/// <see cref="GlobalSingleInstanceAttribute"/>; without this attribute the instance stays where it was first called.
/// </summary>
/// <remarks>
/// <para>
/// The instance ends where it is and begins where it is to be, as by a move of an operator, and at most once a minute, counted from the
/// last time that it was moved; where the other cluster does not take it, less and less often, in the end about once an hour. Calls that
/// come meanwhile wait for it. What is not in a store, or in the versions, stays behind.
/// </para>
/// <para>
/// It moves only where it is owned, to a cluster that can be reached and may own grains; but for
/// <see cref="SingleInstanceMode.Quorum"/>, only while all clusters can be reached.
/// </para>
/// </remarks>
[AttributeUsage(AttributeTargets.Class)]
public sealed class HomeAttribute : Attribute
{
    /// <summary>The instance lives in a cluster, where that can be had.</summary>
    /// <param name="cluster">The name of the cluster, as it is configured.</param>
    public HomeAttribute(string cluster) => (Policy, Cluster) = (HomePolicy.PreferredCluster, cluster);

    /// <summary>The instance lives where a policy says that names no cluster.</summary>
    public HomeAttribute(HomePolicy policy) => Policy = policy;

    /// <summary>What decides.</summary>
    public HomePolicy Policy { get; }

    /// <summary>The cluster of <see cref="HomePolicy.PreferredCluster"/>; null otherwise.</summary>
    public string? Cluster { get; }
}
