using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Storage;

namespace Geo.Orleans;

/// <summary>Which grain storages of this silo all clusters share.</summary>
internal sealed class GrainStorages(GeoSiloBuilder builder, IOptions<GeoOrleansOptions> options, IServiceProvider services)
{
    private const string MemoryStorage = "Orleans.Storage.MemoryGrainStorage";

    /// <summary>Why a single-instance grain cannot keep a state where it does, with what to do; null where it can.</summary>
    public string? FaultOf(StorageUse use) => StorageOf(use) switch
    {
        // Orleans says so itself where there is none.
        null or SharedGrainStorage or VolatileGrainStorage => null,
        _ when options.Value.AllowUnsharedStores => null,
        { } storage when !builder.SharedStorages.Contains(use.StorageName) =>
            $"is [GlobalSingleInstance] and keeps its {use.State} in grain storage '{use.StorageName}', which may be each cluster's own: "
            + "the "
            + "instance would find nothing, or what is out of date, after it has moved. Call "
            + $"{nameof(GeoSiloBuilder.AddSharedGrainStorage)}"
            + $"(\"{use.StorageName}\") in UseGeo for a storage over a store that all clusters share, or "
            + $"{nameof(GeoSiloBuilder.DeclareSharedGrainStorage)}"
            + $"(\"{use.StorageName}\") if {storage.GetType().Name} uses one database in all clusters, or "
            + $"{nameof(GeoSiloBuilder.AddVolatileGrainStorage)}(\"{use.StorageName}\") if the state may end with the instance.",
        { } storage when storage.GetType().FullName == MemoryStorage =>
            $"is [GlobalSingleInstance] and keeps its {use.State} in grain storage '{use.StorageName}', which is declared as shared but "
            + "lies in the "
            + $"memory of this cluster's silos. Call {nameof(GeoSiloBuilder.AddSharedGrainStorage)}(\"{use.StorageName}\") in its place.",
        _ => null,
    };

    /// <summary>The stores that all clusters must have in common for a state of a single-instance grain, by a name for people.</summary>
    public (string Name, IConditionalStore Store)? StoreOf(StorageUse use) => StorageOf(use) switch
    {
        // As the application gave it: one that the clusters keep together is told by what it is.
        SharedGrainStorage shared => (shared.StoreName, services.GetRequiredService<SiloStores>().Given(shared.StoreName)),
        { } storage when builder.SharedStorages.Contains(use.StorageName) =>
            ($"grain storage {use.StorageName}", new GrainStorageConditionalStore(use.StorageName, storage)),
        _ => null,
    };

    private IGrainStorage? StorageOf(StorageUse use) =>
        use.Storage is { } name ? services.GetKeyedService<IGrainStorage>(name) : services.GetService<IGrainStorage>();
}
