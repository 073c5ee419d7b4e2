namespace Geo.Directory;

/// <summary>A cluster and how far it has come with the configuration.</summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="Stage">Joining, member, leaving, or outside.</param>
/// <param name="EntryPoints">Where its silos are reached.</param>
/// <param name="Processed">The version that all of its silos have processed, by its own word; null where it has said nothing.</param>
/// <param name="Held">How many single-instance grains it still holds, where it may own none and has counted; otherwise null.</param>
public sealed record ConfiguredClusterView(
    ClusterId Cluster, string Stage, IReadOnlyList<string> EntryPoints, long? Processed, long? Held);
