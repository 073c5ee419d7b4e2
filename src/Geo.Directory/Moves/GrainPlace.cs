namespace Geo.Directory;

/// <summary>Where the instance of a grain was, or is; the default is nowhere.</summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="Silo">The silo there; null where that is not known.</param>
internal readonly record struct GrainPlace(ClusterId Cluster, string? Silo);
