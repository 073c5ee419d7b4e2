using System.Reflection;
using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using Orleans.EventSourcing;

namespace Geo.Orleans;

/// <summary>
/// Refuses to start a silo whose grain classes use a feature of Orleans that does not follow an instance from cluster to cluster: what it
/// kept or registered in one cluster would be missing in the next, silently. All faults are told at once, and with them time-outs with
/// which no call can be carried.
/// </summary>
internal sealed class FeatureCheck(
    IOptions<GrainTypeOptions> types, GrainStorages storages, GeoSiloBuilder builder, IServiceProvider services) : IConfigurationValidator
{
    public void ValidateConfiguration()
    {
        if (types.Value.Classes.FirstOrDefault(SharedStores.IsOwnedByQuorum) is { } owned
            && !builder.Stores.ContainsKey(builder.Quorum.Store))
        {
            throw QuorumSetup.NoStore(owned, builder.Quorum.Store);
        }

        var faults = types.Value.Classes
            .Where(type => type.GetCustomAttribute<GlobalSingleInstanceAttribute>() is not null)
            .OrderBy(type => type.FullName, StringComparer.Ordinal)
            .SelectMany(type => FaultsOf(type).Select(fault => $"Grain class {type.FullName} {fault}"))
            .ToArray();
        if (faults.Length > 0)
        {
            throw new GeoConfigurationException(string.Join(Environment.NewLine, faults));
        }
    }

    private IEnumerable<string> FaultsOf(Type grainClass) =>
        StorageUse.Of(grainClass, services.GetKeyedService<ILogViewAdaptorFactory>)
            .Select(storages.FaultOf)
            .OfType<string>()
            .Concat(LocalFeatures.FaultsOf(grainClass))
            .Concat(TimeoutFaultsOf(grainClass));

    private static IEnumerable<string> TimeoutFaultsOf(Type grainClass) =>
        from method in grainClass.GetInterfaces().SelectMany(type => type.GetMethods())
        let timeout = method.GetCustomAttribute<ResponseTimeoutAttribute>()?.Timeout
        where timeout <= TimeSpan.Zero
        select $"has the method {method.DeclaringType?.Name}.{method.Name} with the [ResponseTimeout] {timeout}; give it more than 0.";
}
