using Geo.Consistency;
using Geo.Consistency.Lattices;
using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Runtime.Hosting;
using Orleans.Serialization.Serializers;
using Orleans.Storage;

namespace Geo.Orleans;

/// <summary>Says what Geo on a silo needs beyond its settings: where the directory's rows and the grains' versions are stored.</summary>
public sealed class GeoSiloBuilder : IGeoRowStoreBuilder
{
    private const string OwnedRows = "Geo rows";
    private const string OwnedStore = "Geo store ";

    private readonly GeoSection _section;

    internal GeoSiloBuilder(IServiceCollection services, GeoSection section) => (Services, _section) = (services, section);

    /// <summary>The silo's services.</summary>
    public IServiceCollection Services { get; }

    internal GlobalDirectoryOptions Directory { get; private set; } = new();

    internal QuorumDirectoryOptions Quorum { get; private set; } = new();

    internal BatchedCasOptions BatchedCas { get; private set; } = new();

    internal VersionedLeaderOptions VersionedLeader { get; private set; } = new();

    internal LatticeOptions Lattices { get; private set; } = new();

    internal ReplicaExchangeOptions Replicas { get; private set; } = new();

    internal ReadReplicaOptions ReadReplicas { get; private set; } = new();

    internal Func<IServiceProvider, IConditionalStore>? RowStore { get; private set; }

    /// <summary>The grain storages that the application says all clusters share.</summary>
    internal HashSet<string> SharedStorages { get; } = new(StringComparer.Ordinal);

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

    /// <summary>Sets where the owners of the single-instance grains of the mode Quorum are kept, and how long a lease lasts.</summary>
    public GeoSiloBuilder ConfigureQuorum(QuorumDirectoryOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Quorum = options;
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

    /// <summary>Sets the limits and times of <c>[CoordinationFree]</c> grains.</summary>
    public GeoSiloBuilder ConfigureLattices(LatticeOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Lattices = options;
        return this;
    }

    /// <summary>
    /// Sets the limits of the messages between a grain's instances in several clusters, and how often they are told again what is new.
    /// </summary>
    public GeoSiloBuilder ConfigureReplicas(ReplicaExchangeOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Replicas = options;
        return this;
    }

    /// <summary>Sets the limits of the copies that this silo reads of other clusters' <c>[ReadReplica]</c> grains.</summary>
    public GeoSiloBuilder ConfigureReadReplicas(ReadReplicaOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ReadReplicas = options;
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
    /// <param name="name">
    /// The name that <c>[BatchedCas(Storage = ...)]</c> uses; <see cref="GeoStorage.Default"/> where it names none.
    /// </param>
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
    /// <param name="name">
    /// The name that <c>[BatchedCas(Storage = ...)]</c> uses; <see cref="GeoStorage.Default"/> where it names none.
    /// </param>
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
                $"Store '{name}' is to be over the grain storage '{grainStorage}', which was not added to the silo; add it, or name "
                + "another."),
            options,
            services.GetService<TimeProvider>()));
    }

    /// <summary>
    /// Adds a grain storage for the state of <c>[GlobalSingleInstance]</c> grains (<c>IPersistentState</c>, <c>Grain&lt;T&gt;</c>) over one
    /// of the stores that all clusters share, so that an instance finds its state in whichever cluster it is. A write over another version
    /// ends as <see cref="InconsistentStateException"/>, one whose outcome is not known as <see cref="StateOutcomeUnknownException"/>.
    /// State types need <c>[GenerateSerializer]</c>. Other grains may use it too, with a record of each cluster's own.
    /// </summary>
    /// <param name="name">The name that grains use; <c>Default</c> for those that name none.</param>
    /// <param name="store">The store, by the name that it was added under.</param>
    /// <param name="options">The limits; the defaults for null.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    public GeoSiloBuilder AddSharedGrainStorage(string name, string store = GeoStorage.Default, SharedGrainStorageOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentException.ThrowIfNullOrEmpty(store);
        var limits = options ?? new();
        OptionsCheck.Check($"{nameof(SharedGrainStorageOptions)} of '{name}'", [limits]);
        Services.AddGrainStorage(name, (services, _) => new SharedGrainStorage(
            name,
            store,
            services.GetRequiredService<SiloStores>().Named(store),
            new ClusterId(services.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId),
            services.GetRequiredService<GlobalSingleGrains>().MayBeSingle,
            services.GetRequiredService<OrleansGeoSerializer>(),
            services.GetRequiredService<IActivatorProvider>(),
            limits,
            services.GetRequiredService<TimeProvider>(),
            services.GetRequiredService<ILogger<SharedGrainStorage>>()));
        return this;
    }

    /// <summary>
    /// Adds a grain storage that keeps nothing: the state of a grain ends with its activation, and the class that names the storage says
    /// that it may. For the volatile grains of GEO's Table 1 that are written as <c>Grain&lt;T&gt;</c>.
    /// </summary>
    /// <param name="name">The name that grains use.</param>
    public GeoSiloBuilder AddVolatileGrainStorage(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        Services.AddGrainStorage(name, (services, _) => new VolatileGrainStorage(services.GetRequiredService<IActivatorProvider>()));
        return this;
    }

    /// <summary>
    /// Says that a grain storage of the silo uses one database in all clusters, so that <c>[GlobalSingleInstance]</c> grains may keep their
    /// state in it. Most storages of Orleans put the <c>ServiceId</c> into the key of a record: it must then be the same in all clusters.
    /// Checked when the clusters link, by a record of Geo's own in the storage. The storage must refuse a write whose etag is not the
    /// present one.
    /// </summary>
    /// <param name="name">The name that the grain storage was added under; <c>Default</c> for the one of grains that name none.</param>
    public GeoSiloBuilder DeclareSharedGrainStorage(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        SharedStorages.Add(name);
        return this;
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

    Func<TOptions> IGeoStoreBuilder.BindStoreOptions<TOptions>(string name, Action<TOptions> check) => _section.BindStore(name, check);

    Func<TOptions> IGeoRowStoreBuilder.BindRowStoreOptions<TOptions>(Action<TOptions> check) => _section.BindRows(check);
}
