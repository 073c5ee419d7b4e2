namespace TpcwMini.Clusters;

/// <summary>Where a silo's process listens, <c>host:port</c> each.</summary>
/// <param name="Clusters">For the other clusters.</param>
/// <param name="Gateway">For clients.</param>
/// <param name="Silo">For the other silos of its cluster; null where a cluster has one silo only.</param>
internal sealed record ClusterPorts(string Clusters, string Gateway, string? Silo = null);
