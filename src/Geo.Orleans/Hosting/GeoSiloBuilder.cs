using Geo.Consistency;
using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Storage;

namespace Geo.Orleans;

/// <summary>Says what Geo on a silo needs beyond its settings: where the directory's rows and the grains' versions are stored.</summary>
public sealed class GeoSiloBuilder : IGeoRowStoreBuilder
{
    private const string OwnedRows = "Geo rows";
    private const string OwnedStore = "Geo store ";

    internal GeoSiloBuilder(IServiceCollection services) => Services = services;

    /// <summary>The silo's services.</summary>
    public IServiceCollection Services { get; }

    internal GlobalDirectoryOptions Directory { get; private set; } = new();

    internal BatchedCasOptions BatchedCas { get; private set; } = new();

    internal VersionedLeaderOptions VersionedLeader { get; private set; } = new();

    internal Func<IServiceProvider, IConditionalStore>? RowStore { get; private set; }

    internal Dictionary<string, Func<IServiceProvider, IConditionalStore>> Stores { get; } = new(StringComparer.Ordinal);

    /// <summary>Changes the silo's settings.</summary>
    public GeoSiloBuilder Configure(Action<GeoOrleansOptions> configure)
    {
        Services.Configure(configure);
        return this;
    }

    /// <summary>Changes the limits and waits of the directory of single-instance grains.</summary>
    public GeoSiloBuilder ConfigureDirectory(Func<GlobalDirectoryOptions, GlobalDirectoryOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        Directory = configure(Directory);
        return this;
    }

    /// <summary>Sets the limits and times of <c>[BatchedCas]</c> grains.</summary>
    public GeoSiloBuilder ConfigureBatchedCas(BatchedCasOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        BatchedCas = options;
        return this;
    }

    /// <summary>Sets the limits and times of <c>[VersionedLeader]</c> grains.</summary>
    public GeoSiloBuilder ConfigureVersionedLeader(VersionedLeaderOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        VersionedLeader = options;
        return this;
    }

    /// <summary>
    /// Keeps the directory's rows in a store. Required. All silos of this cluster must use the same one, and no silo of another cluster:
    /// an <see cref="InMemoryConditionalStore"/> of its own fits a cluster of one silo only.
    /// </summary>
    /// <param name="factory">Creates or finds the store once, when the silo starts.</param>
    public GeoSiloBuilder UseRowStore(Func<IServiceProvider, IConditionalStore> factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        RowStore = factory;
        return this;
    }

    /// <summary>
    /// Adds a store for the versions of <c>[BatchedCas]</c> grains. All clusters must use the same one.
    /// </summary>
    /// <param name="name">The name that <c>[BatchedCas(Storage = ...)]</c> uses; <see cref="GeoStores.Default"/> where it names none.</param>
    /// <param name="factory">Creates or finds the store once, when it is first used.</param>
    /// <exception cref="GeoConfigurationException">The name is taken.</exception>
    public GeoSiloBuilder AddStore(string name, Func<IServiceProvider, IConditionalStore> factory)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(factory);
        return Stores.TryAdd(name, factory)
            ? this
            : throw new GeoConfigurationException($"A store named '{name}' was added already; give each store a name of its own.");
    }

    /// <summary>
    /// Adds a store for the versions of <c>[BatchedCas]</c> grains over one of the silo's grain storages, in the same database in all
    /// clusters. It cannot be the row store: see <see cref="GrainStorageConditionalStore"/>.
    /// </summary>
    /// <param name="name">The name that <c>[BatchedCas(Storage = ...)]</c> uses; <see cref="GeoStores.Default"/> where it names none.</param>
    /// <param name="grainStorage">The name that the grain storage was added under.</param>
    /// <param name="options">The limits; the defaults for null.</param>
    /// <exception cref="GeoConfigurationException">The name is taken, or an option is out of range.</exception>
    public GeoSiloBuilder AddGrainStorageStore(string name, string grainStorage, GrainStorageStoreOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(grainStorage);
        options?.Validate();
        return AddStore(name, services => new GrainStorageConditionalStore(
            grainStorage,
            services.GetKeyedService<IGrainStorage>(grainStorage) ?? throw new GeoConfigurationException(
                $"Store '{name}' is to be over the grain storage '{grainStorage}', which was not added to the silo; add it, or name another."),
            options,
            services.GetService<TimeProvider>()));
    }

    // The container disposes of what it made; the stores that an application gives stay the application's.
    void IGeoStoreBuilder.AddOwnedStore(string name, Func<IServiceProvider, IConditionalStore> factory)
    {
        AddStore(name, services => services.GetRequiredKeyedService<IConditionalStore>(OwnedStore + name));
        Services.AddKeyedSingleton(OwnedStore + name, (services, _) => factory(services));
    }

    void IGeoRowStoreBuilder.UseOwnedRowStore(Func<IServiceProvider, IConditionalStore> factory)
    {
        UseRowStore(services => services.GetRequiredKeyedService<IConditionalStore>(OwnedRows));
        Services.AddKeyedSingleton(OwnedRows, (services, _) => factory(services));
    }
}
