using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using Orleans.EventSourcing;
using Orleans.Metadata;
using Orleans.Providers;

namespace Geo.Orleans;

/// <summary>
/// Knows which of the silo's stores all clusters must have in common: those whose versions instances in several clusters work on, and those
/// that keep the state of single-instance grains.
/// </summary>
internal sealed class SharedStores(
    IOptions<GrainTypeOptions> types, SiloStores stores, GrainStorages storages, GeoSiloBuilder builder, IServiceProvider services,
    IClusterManifestProvider manifests)
{
    /// <summary>
    /// The stores by name. A class whose store was not added is passed over: a silo may know classes that it does not serve, and they say
    /// so when they are used.
    /// </summary>
    /// <param name="allowUnshared">True when a store that is certainly not shared will do.</param>
    /// <exception cref="GeoConfigurationException">One of them is in this cluster's memory.</exception>
    public IReadOnlyDictionary<string, IConditionalStore> Find(bool allowUnshared)
    {
        var shared = new Dictionary<string, IConditionalStore>(StringComparer.Ordinal);
        foreach (var grainClass in types.Value.Classes)
        {
            if (NameFor(grainClass) is { } name && stores.Has(name))
            {
                shared[name] = stores.Given(name) is var store
                    && (allowUnshared || store is not GrainStorageConditionalStore { IsInMemory: true })
                    ? store
                    : throw new GeoConfigurationException(
                        $"Grain class {grainClass.FullName} works in all clusters and keeps its versions in the store '{name}', which is "
                        + "over a grain storage"
                        + " in the memory of this cluster's silos, where no other cluster finds them. Give the store a database that all "
                        + "clusters reach, or,"
                        + " for a demonstration in which grains may lose their values, set "
                        + $"{nameof(GeoOrleansOptions.AllowUnsharedStores)} in all clusters.");
            }
        }

        foreach (var use in types.Value.Classes
            .Where(grainClass => grainClass.IsDefined(typeof(GlobalSingleInstanceAttribute), inherit: true))
            .SelectMany(grainClass => StorageUse.Of(grainClass, services.GetKeyedService<ILogViewAdaptorFactory>)))
        {
            if (storages.StoreOf(use) is { } store)
            {
                shared[store.Name] = store.Store;
            }
        }

        return shared;
    }

    /// <summary>The store in which stands who owns the grains of the mode Quorum; null where no class has the mode.</summary>
    /// <param name="hasOthers">True beside other clusters, which must have it in common.</param>
    /// <exception cref="GeoConfigurationException">It is in this cluster's memory, and there are others.</exception>
    public IConditionalStore? FindOwners(bool hasOthers) =>
        types.Value.Classes.FirstOrDefault(IsOwnedByQuorum) is not { } first ? null
        : stores.Given(builder.Quorum.Store) is var store
            && !(hasOthers && store is (InMemoryConditionalStore or GrainStorageConditionalStore { IsInMemory: true })) ? store
        : throw QuorumSetup.InMemory(first, builder.Quorum.Store);

    /// <summary>The names of the single-instance classes, as keys of their grains have them; true where a majority decides.</summary>
    public IReadOnlyDictionary<string, bool> FindSingleInstances() => manifests.LocalGrainManifest.Grains
        .Where(grain => grain.Value.Properties.ContainsKey(GlobalSingleProperties.ModeProperty))
        .ToDictionary(
            grain => grain.Key.ToString()!,
            grain => grain.Value.Properties[GlobalSingleProperties.ModeProperty] == nameof(SingleInstanceMode.Quorum));

    /// <summary>
    /// The names of the coordination-free classes, as keys of their grains have them; true with replicas in some clusters.
    /// </summary>
    public IReadOnlyDictionary<string, bool> FindCoordinationFree()
    {
        var names = services.GetRequiredService<GrainTypeResolver>();
        return GeoLattices.ClassesAmong(types.Value.Classes).ToDictionary(
            grainClass => names.GetGrainType(grainClass).ToString()!, grainClass => GeoLattices.DeclarationOf(grainClass).Replicas > 0);
    }

    /// <summary>The names of the volatile classes with an instance in each cluster, and when their updates are confirmed.</summary>
    public IReadOnlyDictionary<string, UpdateConfirmation> FindConfirmations() => manifests.LocalGrainManifest.Grains
        .Where(grain => grain.Value.Properties.ContainsKey(GlobalSingleProperties.ConfirmationProperty))
        .ToDictionary(
            grain => grain.Key.ToString()!,
            grain => Enum.Parse<UpdateConfirmation>(grain.Value.Properties[GlobalSingleProperties.ConfirmationProperty]));

    /// <summary>True for a single-instance class whose owners the clusters keep by majority.</summary>
    internal static bool IsOwnedByQuorum(Type grainClass) =>
        Attribute.GetCustomAttribute(grainClass, typeof(GlobalSingleInstanceAttribute)) is GlobalSingleInstanceAttribute
        {
            Mode: SingleInstanceMode.Quorum,
        };

    /// <summary>The name of the store that instances of a class in several clusters share; null when they share none.</summary>
    internal static string? NameFor(Type grainClass)
    {
        var versioned = GlobalSingleProperties.IsVersioned(grainClass);
        var declaration = GrainDeclaration.Of(grainClass, versioned);
        if (declaration.Instancing == Instancing.ClusterLocal || !versioned)
        {
            return null;
        }

        return declaration.UsesStore ? declaration.Storage ?? GeoStorage.Default
            : IsByProviderName(grainClass) ? GeoStorage.Default
            : null;
    }

    private static bool IsByProviderName(Type grainClass) => grainClass
        .GetCustomAttributes(typeof(LogConsistencyProviderAttribute), inherit: true)
        .Any(attribute => ((LogConsistencyProviderAttribute)attribute).ProviderName == GeoJournalFactory.BatchedCas);
}
