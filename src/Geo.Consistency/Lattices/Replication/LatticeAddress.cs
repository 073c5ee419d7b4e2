namespace Geo.Consistency.Lattices;

/// <summary>Where a replica is reached.</summary>
/// <param name="Cluster">Its cluster.</param>
/// <param name="Silo">Its silo, where that is of this cluster; null for a silo of another one, any of which passes messages on.</param>
internal readonly record struct LatticeAddress(ClusterId Cluster, string? Silo = null);
