using Geo.Testing;

namespace Geo.Directory.Tests.Silos;

/// <summary>A silo of a <see cref="LeaseRing"/>.</summary>
/// <param name="Node">Its name.</param>
/// <param name="Lane">Its process.</param>
/// <param name="Way">Its way to the store of the rows.</param>
/// <param name="Cluster">The silo among the others.</param>
internal sealed record RingSilo(string Node, SimulationLane Lane, WayToRows Way, ClusterSilo Cluster)
{
    public bool MayServe => Cluster.Guard.MayServe;

    /// <summary>How often it was told that it is fenced off.</summary>
    public int Fenced { get; set; }

    public bool Calls(RingSilo other, NodeState state) => Cluster.Liveness.StateOf(other.Node) == state;
}
