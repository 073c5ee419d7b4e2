using Geo.Storage.Quorum;
using Geo.Storage.Sqlite;

namespace TpcwMini.Clusters;

/// <summary>Where the clusters keep by majority who has a grain; alike on both hosts.</summary>
internal static class MajorityStore
{
    public static void AddMajorityStore<TBuilder>(this TBuilder geo, ClusterSettings settings)
        where TBuilder : IGeoStoreBuilder
    {
        if (settings.Majority.Count > 0)
        {
            // A process that is killed and started again finds there what it has promised.
            geo.AddQuorumStore(GeoStorage.Quorum, settings.Majority, settings.MajorityFile is { } file
                ? _ => SqliteConditionalStore.Open(new SqliteStoreOptions { Path = file, Durability = SqliteDurability.Normal })
                : null);
        }
        else if (settings.Mode == SingleInstanceMode.Quorum)
        {
            // Alone it is the majority.
            geo.AddOwnedStore(GeoStorage.Quorum, _ => new InMemoryConditionalStore());
        }
    }
}
