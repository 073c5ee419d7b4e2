using Geo.Consistency;
using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans;

/// <summary>Says what Geo on a silo needs beyond its settings: where the directory's rows and the grains' versions are stored.</summary>
public sealed class GeoSiloBuilder
{
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
}
