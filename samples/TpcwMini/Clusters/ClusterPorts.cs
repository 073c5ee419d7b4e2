namespace TpcwMini.Clusters;

/// <summary>Where a cluster's process listens, <c>host:port</c> each.</summary>
/// <param name="Clusters">For the other clusters.</param>
/// <param name="Gateway">For clients.</param>
internal sealed record ClusterPorts(string Clusters, string Gateway);
