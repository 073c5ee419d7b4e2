namespace Geo.Directory;

/// <summary>Where a single-instance grain is, seen from one cluster.</summary>
internal enum PlacementKind
{
    /// <summary>An instance may run in this cluster, at the node named (row Owned or Doubtful).</summary>
    Here,

    /// <summary>The instance is in another cluster, to which calls are forwarded. A hint: it may have left.</summary>
    Elsewhere,
}

/// <summary>The answer of the directory: where the instance of a grain is (GEO section 3.1).</summary>
/// <param name="Kind">In this cluster or in another one.</param>
/// <param name="Cluster">The cluster of the instance.</param>
/// <param name="Node">
/// The node of the instance within its cluster: always given for <see cref="PlacementKind.Here"/>, the other cluster's word for
/// <see cref="PlacementKind.Elsewhere"/>, where it is informative only.
/// </param>
internal readonly record struct Placement(PlacementKind Kind, ClusterId Cluster, string? Node)
{
    /// <summary>The epoch of the tenancy elsewhere, for grains that are owned by majority; otherwise 0.</summary>
    public long Tenancy { get; init; }
}
