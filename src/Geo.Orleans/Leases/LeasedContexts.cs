using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Metadata;

namespace Geo.Orleans;

/// <summary>Puts the lease before the activations of single-instance grains, and of no others.</summary>
internal sealed class LeasedContexts(IServiceProvider services, GrainPropertiesResolver properties, MessageBody body, SiloLease lease)
    : IGrainContextActivatorProvider
{
    public bool TryGet(GrainType grainType, [NotNullWhen(true)] out IGrainContextActivator? activator)
    {
        activator = null;
        if (!properties.TryGetGrainProperties(grainType, out var found) || !found.Properties.ContainsKey(GlobalSingleProperties.ModeProperty))
        {
            return false;
        }

        foreach (var provider in services.GetServices<IGrainContextActivatorProvider>())
        {
            if (provider != this && provider.TryGet(grainType, out var stock))
            {
                activator = new Activator(stock, body, lease);
                return true;
            }
        }

        return false;
    }

    private sealed class Activator(IGrainContextActivator stock, MessageBody body, SiloLease lease) : IGrainContextActivator
    {
        public IGrainContext CreateContext(GrainAddress address) => new LeasedContext(stock.CreateContext(address), body, lease);
    }
}
