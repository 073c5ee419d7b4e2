using Geo.Directory;

namespace Geo.Embedded;

/// <summary>The silos that a silo shares its cluster with: in a simulation. A cluster in production has one silo.</summary>
/// <param name="Membership">Who belongs to the cluster; it names this silo.</param>
/// <param name="Siblings">The way to the others.</param>
/// <param name="Options">Limits and waits; the list of clusters is the configuration's.</param>
internal sealed record SiloNeighbours(ISiloMembership Membership, ISiblings Siblings, ClusterSiloOptions Options);
