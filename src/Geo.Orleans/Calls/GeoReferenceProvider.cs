using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using System.Reflection;
using Microsoft.Extensions.DependencyInjection;
using Orleans.CodeGeneration;
using Orleans.GrainReferences;
using Orleans.Metadata;
using Orleans.Serialization.Cloning;
using Orleans.Serialization.Serializers;

namespace Geo.Orleans;

/// <summary>
/// Makes the references of single-instance grains, and of types that are not known yet, whose calls go through
/// <see cref="GeoReferenceRuntime"/>, those of coordination-free grains that not all clusters have, and those that lead to another
/// cluster's ordinary grains and observers. All others are Orleans' own.
/// </summary>
/// <param name="services">Finds Orleans' own provider and the runtimes, all later than this one is made.</param>
/// <param name="singles">Knows the single-instance types.</param>
/// <param name="placed">Knows the types that have replicas in some clusters only.</param>
/// <param name="properties">Knows what Orleans heeds about a type.</param>
/// <param name="home">Tells the cluster of this silo; none in an external client.</param>
internal sealed class GeoReferenceProvider(
    IServiceProvider services, GlobalSingleGrains singles, PartialGrains placed, GrainPropertiesResolver properties, Func<ClusterId> home)
    : IGrainReferenceActivatorProvider
{
    public bool TryGet(GrainType grainType, GrainInterfaceType interfaceType, [NotNullWhen(true)] out IGrainReferenceActivator? activator)
    {
        activator = AbroadNames.TryParse(grainType, out var cluster, out var atHome) ? FromAbroad(grainType, interfaceType, cluster, atHome)
            : grainType.IsSystemTarget() ? null
            : IsSingle(grainType) ? Over<GeoReferenceRuntime>(grainType, interfaceType, Stock(grainType, interfaceType))
            : placed.IsPartial(grainType) ? Over<HolderReferenceRuntime>(grainType, interfaceType, Stock(grainType, interfaceType))
            : grainType == SubscriptionReferenceRuntime.Subscriptions
                ? Over<SubscriptionReferenceRuntime>(grainType, interfaceType, Stock(grainType, interfaceType))
            : singles.HasInstanceInEachCluster(grainType) ? null
            : Arriving(grainType, interfaceType);
        return activator is not null;
    }

    private bool IsSingle(GrainType grainType) => !grainType.IsClient() && singles.MayBeSingle(grainType);

    /// <summary>Of what lives in another cluster, or here and has been there under its name.</summary>
    private IGrainReferenceActivator? FromAbroad(
        GrainType grainType, GrainInterfaceType interfaceType, ClusterId cluster, GrainType atHome) =>
        cluster == home() ? Stock(atHome, interfaceType) is { } stock ? new ReturningReferenceActivator(stock) : null

            // The type need not be known here, but the interface must: every observer's type serves any interface.
            : Over<AbroadReferenceRuntime>(grainType, interfaceType, Stock(AbroadNames.Observers, interfaceType));

    /// <summary>Of what each cluster has of its own: ordinary grains and observers.</summary>
    private ArrivingReferenceActivator? Arriving(GrainType grainType, GrainInterfaceType interfaceType) =>
        Stock(grainType, interfaceType) is { } stock
            ? new ArrivingReferenceActivator(
                home, stock, abroad => (GrainReference)services.GetRequiredService<IGrainFactory>().GetGrain(abroad, interfaceType))
            : null;

    /// <summary>What Orleans makes references with; null for an interface that it has none for.</summary>
    private IGrainReferenceActivator? Stock(GrainType grainType, GrainInterfaceType interfaceType)
    {
        foreach (var provider in services.GetServices<IGrainReferenceActivatorProvider>())
        {
            if (provider != this && provider.TryGet(grainType, interfaceType, out var stock))
            {
                return stock;
            }
        }

        return null;
    }

    /// <summary>
    /// Makes references as Orleans does, with another runtime behind them; those without an interface are called by nobody.
    /// </summary>
    private Activator? Over<TRuntime>(GrainType grainType, GrainInterfaceType interfaceType, IGrainReferenceActivator? stock)
        where TRuntime : class, IGrainReferenceRuntime
    {
        if (stock is null || interfaceType.IsDefault)
        {
            return null;
        }

        var sample = stock.CreateReference(GrainId.Create(grainType, "sample"));
        IGrainReferenceRuntime runtime = services.GetRequiredService<TRuntime>();
        if (runtime is GeoReferenceRuntime unsure && singles.ModeOf(grainType) is not null)
        {
            runtime = unsure.OfSingles();
        }

        return new Activator(sample.GetType(), Share(grainType, interfaceType, sample.InterfaceVersion, runtime));
    }

    private GrainReferenceShared Share(
        GrainType grainType, GrainInterfaceType interfaceType, ushort interfaceVersion, IGrainReferenceRuntime runtime)
    {
        var isUnordered = properties.TryGetGrainProperties(grainType, out var found)
            && found.Properties.TryGetValue(WellKnownGrainTypeProperties.Unordered, out var unordered)
            && string.Equals("true", unordered, StringComparison.OrdinalIgnoreCase);
        return new GrainReferenceShared(
            grainType, interfaceType, interfaceVersion,
            runtime,
            isUnordered ? InvokeMethodOptions.Unordered : InvokeMethodOptions.None,
            services.GetRequiredService<CodecProvider>(), services.GetRequiredService<CopyContextPool>(), services);
    }

    /// <summary>Makes references of the type that Orleans generated for the interface, with another runtime behind them.</summary>
    private sealed class Activator : IGrainReferenceActivator
    {
        private readonly GrainReferenceShared _shared;
        private readonly Func<GrainReferenceShared, IdSpan, GrainReference> _create;

        public Activator(Type referenceType, GrainReferenceShared shared)
        {
            _shared = shared;
            var parts = new[] { Expression.Parameter(typeof(GrainReferenceShared)), Expression.Parameter(typeof(IdSpan)) };
            var constructor = referenceType.GetConstructor(
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic, [.. parts.Select(part => part.Type)])
                ?? throw new GeoConfigurationException(
                    $"{referenceType} cannot be created as a grain reference; this version of Geo does not fit this version of Orleans.");
            _create = Expression.Lambda<Func<GrainReferenceShared, IdSpan, GrainReference>>(
                Expression.Convert(Expression.New(constructor, parts), typeof(GrainReference)), parts).Compile();
        }

        public GrainReference CreateReference(GrainId grainId) => _create(_shared, grainId.Key);
    }
}
