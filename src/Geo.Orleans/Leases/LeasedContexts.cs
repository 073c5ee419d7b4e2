using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Metadata;

namespace Geo.Orleans;

/// <summary>Puts the lease before the activations of single-instance grains, and of no others.</summary>
internal sealed class LeasedContexts(IServiceProvider services, GrainPropertiesResolver properties, ActivationSeam seam, SiloLease lease)
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
                activator = new Activator(stock, services, seam, lease);
                return true;
            }
        }

        return false;
    }

    private sealed class Activator(IGrainContextActivator stock, IServiceProvider services, ActivationSeam seam, SiloLease lease)
        : IGrainContextActivator
    {
        // The table of activations is made of what makes activations: it can only be asked for when the first one is made.
        private readonly Lazy<object> _table = new(() => services.GetRequiredService(seam.TableType));

        public IGrainContext CreateContext(GrainAddress address) => new LeasedContext(stock.CreateContext(address), seam, _table.Value, lease);
    }
}
