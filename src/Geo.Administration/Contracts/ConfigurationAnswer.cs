namespace Geo.Administration;

/// <summary>The clusters of the multi-cluster, as the configuration store has them.</summary>
/// <param name="Version">The version of the configuration.</param>
/// <param name="Clusters">Its clusters, and those outside of it.</param>
/// <param name="Waiting">What the next change, or the second step of the present one, waits for; null for nothing.</param>
/// <param name="Distrust">Why the silo asked does not follow what the store holds; null while it does.</param>
internal sealed record ConfigurationAnswer(
    long Version, IReadOnlyList<ConfigurationRow> Clusters, string? Waiting, string? Distrust);
