namespace Geo.Directory;

/// <summary>What a silo needs to serve grains of the mode <see cref="SingleInstanceMode.Quorum"/>, said alike by both hosts.</summary>
internal static class QuorumSetup
{
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
