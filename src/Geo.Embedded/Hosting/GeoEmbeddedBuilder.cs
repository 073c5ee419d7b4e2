using System.Reflection;
using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded;

/// <summary>Says what a silo in this process serves and where it stores.</summary>
public sealed class GeoEmbeddedBuilder : IGeoStoreBuilder
{
    private readonly GeoSection _section;

    internal GeoEmbeddedBuilder(IServiceCollection services, GeoSection section) => (Services, _section) = (services, section);

    /// <summary>The host's services.</summary>
    public IServiceCollection Services { get; }

    internal GrainCatalogBuilder Grains { get; } = new();

    internal Dictionary<string, Func<IServiceProvider, IConditionalStore>> Stores { get; } = new(StringComparer.Ordinal);

    internal WireSettings Wire { get; } = new();

    /// <summary>Changes the silo's settings.</summary>
    public GeoEmbeddedBuilder Configure(Action<GeoEmbeddedOptions> configure)
    {
        Services.Configure(configure);
        return this;
    }

    /// <summary>Serves the grains of a class.</summary>
    /// <typeparam name="TGrain">A class that derives from <see cref="Grain"/> and implements a grain interface.</typeparam>
    public GeoEmbeddedBuilder AddGrain<TGrain>()
        where TGrain : Grain
    {
        Grains.Add(typeof(TGrain));
        return this;
    }

    /// <summary>Serves the grains of a class that is known when the program runs.</summary>
    /// <param name="grainClass">A class that derives from <see cref="Grain"/> and implements a grain interface.</param>
    /// <exception cref="ArgumentException">It does not derive from <see cref="Grain"/>.</exception>
    public GeoEmbeddedBuilder AddGrain(Type grainClass)
    {
        ArgumentNullException.ThrowIfNull(grainClass);
        if (!grainClass.IsSubclassOf(typeof(Grain)))
        {
            throw new ArgumentException($"{grainClass.FullName} does not derive from {typeof(Grain).FullName}.", nameof(grainClass));
        }

        Grains.Add(grainClass);
        return this;
    }

    /// <summary>
    /// Serves the grains of all classes in an assembly that derive from <see cref="Grain"/>, abstract and generic ones left out.
    /// </summary>
    public GeoEmbeddedBuilder AddGrains(Assembly assembly)
    {
        ArgumentNullException.ThrowIfNull(assembly);
        Grains.AddAll(assembly);
        return this;
    }

    /// <summary>
    /// Adds a store for grains' states and versions under a name; <see cref="GeoStorage.Default"/> replaces the one in memory.
    /// </summary>
    /// <param name="name">The name that <c>[StorageProvider]</c>, <c>[PersistentState]</c> and <c>[BatchedCas]</c> use.</param>
    /// <param name="factory">Creates the store once, when the silo starts. The silo disposes of it when it stops.</param>
    /// <exception cref="GeoConfigurationException">The name is taken, or is <see cref="GeoStorage.Volatile"/>.</exception>
    public GeoEmbeddedBuilder AddStore(string name, Func<IServiceProvider, IConditionalStore> factory)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(factory);
        if (name == GeoStorage.Volatile)
        {
            throw new GeoConfigurationException($"'{GeoStorage.Volatile}' means no store at all; add the store under another name.");
        }

        if (!Stores.TryAdd(name, factory))
        {
            throw new GeoConfigurationException($"A store named '{name}' was added already; give each store a name of its own.");
        }

        return this;
    }

    /// <summary>Lets an exception type cross process borders as itself. Declare it in the processes of grain and caller.</summary>
    /// <typeparam name="TException">A type with a public constructor that takes the message, or the message and the cause.</typeparam>
    /// <exception cref="GeoConfigurationException">The type has no such constructor.</exception>
    public GeoEmbeddedBuilder AddException<TException>()
        where TException : Exception
    {
        Wire.Exceptions.Add<TException>();
        return this;
    }

    /// <summary>Changes how states, events and arguments are turned into JSON, for example adds a source-generated context.</summary>
    public GeoEmbeddedBuilder ConfigureJson(Action<JsonSerializerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        Wire.Json += configure;
        return this;
    }

    void IGeoStoreBuilder.AddOwnedStore(string name, Func<IServiceProvider, IConditionalStore> factory) => AddStore(name, factory);

    Func<TOptions> IGeoStoreBuilder.BindStoreOptions<TOptions>(string name, Action<TOptions> check) => _section.BindStore(name, check);
}
