using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>
/// How far a cluster has come with the versions of the configuration, as it says itself after it has stored the present one.
/// </summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="Stored">The version that it keeps in its own store: a silo that starts reads that one or a later one.</param>
/// <param name="Silos">The version in the lease of each silo that is not fenced off.</param>
/// <param name="Held">How many rows it has that are neither Cached nor Invalid.</param>
internal sealed record ClusterProgress(ClusterId Cluster, long Stored, ImmutableSortedDictionary<string, long> Silos, long Held);
