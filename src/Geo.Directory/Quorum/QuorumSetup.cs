namespace Geo.Directory;

/// <summary>What a silo needs to serve grains of the mode <see cref="SingleInstanceMode.Quorum"/>, said alike by both hosts.</summary>
internal static class QuorumSetup
{
    /// <summary>A lease of a cluster that is given up by force runs out before the store serves the others.</summary>
    /// <exception cref="GeoConfigurationException">It may be held longer.</exception>
    public static void CheckForcedWait(IConditionalStore store, QuorumDirectoryOptions options)
    {
        if (store is IKeptStore { ForcedWait: var wait } && wait <= options.LeaseDuration * 1.1)
        {
            throw new GeoConfigurationException(
                $"The store '{options.Store}', in which the clusters keep by majority who owns grains, serves {wait} after clusters that "
                + "are lost were given up by force (ForcedWait of QuorumStoreOptions), and a lease of such a cluster "
                + $"({nameof(QuorumDirectoryOptions.LeaseDuration)} of {nameof(QuorumDirectoryOptions)}, {options.LeaseDuration}) may be "
                + "held longer: a grain could be served twice. Make ForcedWait longer than 1.1 times the lease, in all clusters.");
        }
    }

    /// <summary>There is no store in which stands who owns the grains.</summary>
    public static GeoConfigurationException NoStore(Type grainClass, string name) => new(
        $"Grain class {grainClass.FullName} is [GlobalSingleInstance(SingleInstanceMode.Quorum)], and there is no store named '{name}' in "
        + "which the clusters keep by majority who owns its grains. Add one in every cluster: "
        + $"AddQuorumStore(\"{name}\", [the clusters], this cluster's own rows), of Geo.Storage.Quorum; or name another store that all "
        + "clusters share, by QuorumDirectoryOptions.Store.");

    /// <summary>Who owns the grains would stand where no other cluster finds it.</summary>
    public static GeoConfigurationException InMemory(Type grainClass, string name) => new(
        $"Grain class {grainClass.FullName} is [GlobalSingleInstance(SingleInstanceMode.Quorum)], and the store '{name}', in which the "
        + "clusters keep by majority who owns its grains, is in the memory of this cluster, where no other one finds it: a grain could get "
        + $"an owner in each. Add one in every cluster: AddQuorumStore(\"{name}\", [the clusters], this cluster's own rows), of "
        + "Geo.Storage.Quorum; or name another store that all clusters share, by QuorumDirectoryOptions.Store.");
}
