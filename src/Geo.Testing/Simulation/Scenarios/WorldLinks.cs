namespace Geo.Testing;

/// <summary>What a scenario does to the links between clusters. <see cref="WorldLife.HealAsync"/> undoes all of it.</summary>
public static class WorldLinks
{
    /// <summary>Cuts two clusters off from each other: what is sent between them is lost.</summary>
    public static void Partition(this SimulationWorld world, SimulatedCluster a, SimulatedCluster b)
    {
        world.PartitionOneWay(a, b);
        world.PartitionOneWay(b, a);
    }

    /// <summary>Cuts the way of messages from one cluster to another; the way back stays open.</summary>
    public static void PartitionOneWay(this SimulationWorld world, SimulatedCluster from, SimulatedCluster to)
    {
        ArgumentNullException.ThrowIfNull(world);
        world.Network.Cut(Id(from), Id(to));
    }

    /// <summary>Opens the ways between two clusters again; both hear of the link after a while.</summary>
    public static void Mend(this SimulationWorld world, SimulatedCluster a, SimulatedCluster b)
    {
        ArgumentNullException.ThrowIfNull(world);
        world.Network.Mend(Id(a), Id(b));
    }

    /// <summary>
    /// Holds messages between two clusters, both ways, until <see cref="Release"/>: they are late, not lost. A way that is cut loses them
    /// at their release.
    /// </summary>
    public static void Hold(this SimulationWorld world, SimulatedCluster a, SimulatedCluster b)
    {
        ArgumentNullException.ThrowIfNull(world);
        world.Network.Hold(Id(a), Id(b));
        world.Network.Hold(Id(b), Id(a));
    }

    /// <summary>Lets the messages go on that were held between two clusters, in their order.</summary>
    public static void Release(this SimulationWorld world, SimulatedCluster a, SimulatedCluster b)
    {
        ArgumentNullException.ThrowIfNull(world);
        world.Network.Release(Id(a), Id(b));
        world.Network.Release(Id(b), Id(a));
    }

    /// <summary>
    /// The conditions of the way from one cluster to another, to be set: its delays and loss, where they differ from the network's.
    /// </summary>
    public static SimulatedWay Link(this SimulationWorld world, SimulatedCluster from, SimulatedCluster to)
    {
        ArgumentNullException.ThrowIfNull(world);
        return world.Network.Way(Id(from), Id(to));
    }

    private static ClusterId Id(SimulatedCluster cluster) => cluster?.Id ?? throw new ArgumentNullException(nameof(cluster));
}
