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
/// <see cref="GeoReferenceRuntime"/>. References of all other grains are Orleans' own.
/// </summary>
internal sealed class GeoReferenceProvider(IServiceProvider services, GlobalSingleGrains singles, GrainPropertiesResolver properties)
    : IGrainReferenceActivatorProvider
{
    public bool TryGet(GrainType grainType, GrainInterfaceType interfaceType, [NotNullWhen(true)] out IGrainReferenceActivator? activator)
    {
        activator = null;
        if (interfaceType.IsDefault || IsOfOrleans(grainType) || !singles.MayBeSingle(grainType))
        {
            return false;
        }

        foreach (var provider in services.GetServices<IGrainReferenceActivatorProvider>())
        {
            if (provider != this && provider.TryGet(grainType, interfaceType, out var stock))
            {
                var sample = stock.CreateReference(GrainId.Create(grainType, "sample"));
                activator = new Activator(sample.GetType(), Share(grainType, interfaceType, sample.InterfaceVersion));
                return true;
            }
        }

        return false;
    }

    private static bool IsOfOrleans(GrainType grainType) =>
        grainType.IsClient() || grainType.ToString()!.StartsWith(GrainTypePrefix.SystemTargetPrefix, StringComparison.Ordinal);

    private GrainReferenceShared Share(GrainType grainType, GrainInterfaceType interfaceType, ushort interfaceVersion)
    {
        var isUnordered = properties.TryGetGrainProperties(grainType, out var found)
            && found.Properties.TryGetValue(WellKnownGrainTypeProperties.Unordered, out var unordered)
            && string.Equals("true", unordered, StringComparison.OrdinalIgnoreCase);
        return new GrainReferenceShared(
            grainType, interfaceType, interfaceVersion,
            services.GetRequiredService<GeoReferenceRuntime>(),
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
