namespace Geo.Directory;

/// <summary>The configuration of the multi-cluster, as the configuration store has it.</summary>
/// <param name="Version">Grows by one with each change.</param>
/// <param name="Clusters">Its clusters, and those outside of it that run with it.</param>
/// <param name="Waiting">What the next change, or the second step of the present one, waits for; null for nothing.</param>
/// <param name="Distrust">Why the silo asked does not follow what the store holds; null while it does.</param>
public sealed record ConfigurationView(
    long Version, IReadOnlyList<ConfiguredClusterView> Clusters, string? Waiting, string? Distrust);
