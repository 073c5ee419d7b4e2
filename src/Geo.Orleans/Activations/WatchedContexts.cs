using System.Diagnostics.CodeAnalysis;
using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Metadata;

namespace Geo.Orleans;

/// <summary>
/// Puts the lease before the activations of single-instance grains, has the requests of journaled grains with read-only methods known to
/// the journal, and touches no others.
/// </summary>
internal sealed class WatchedContexts(
    IServiceProvider services, GrainPropertiesResolver properties, ActivationSeam seam, TenancyGuards guards)
    : IGrainContextActivatorProvider
{
    public bool TryGet(GrainType grainType, [NotNullWhen(true)] out IGrainContextActivator? activator)
    {
        activator = null;
        if (!properties.TryGetGrainProperties(grainType, out var found))
        {
            return false;
        }

        var isSingle = found.Properties.ContainsKey(GlobalSingleProperties.ModeProperty);
        var hasReaders = found.Properties.ContainsKey(JournalReaders.Property);
        if (!isSingle && !hasReaders)
        {
            return false;
        }

        foreach (var provider in services.GetServices<IGrainContextActivatorProvider>())
        {
            if (provider != this && provider.TryGet(grainType, out var stock))
            {
                var isFollowing = found.Properties.TryGetValue(GlobalSingleProperties.HomeProperty, out var home)
                    && home == GlobalSingleProperties.WithCallers;
                activator = new Activator(stock, services, seam, isSingle ? guards : null, hasReaders, isFollowing);
                return true;
            }
        }

        return false;
    }

    private sealed class Activator(
        IGrainContextActivator stock, IServiceProvider services, ActivationSeam seam, TenancyGuards? guards, bool hasReaders,
        bool isFollowing)
        : IGrainContextActivator
    {
        // The table of activations is made of what makes activations: it can only be asked for when the first one is made.
        private readonly Lazy<object> _table = new(() => services.GetRequiredService(seam.TableType));

        public IGrainContext CreateContext(GrainAddress address, IConfigureGrainContext[] configureActions)
        {
            var first = new Preparation(hasReaders, isFollowing ? services.GetRequiredService<GeoSilo>().Homes?.Counts() : null);
            var activation = stock.CreateContext(address, [first, .. configureActions]);
            return new WatchedContext(
                activation, first.Ended, first.Waits, first.Callers, seam, _table.Value, guards?.For(address.GrainId));
        }
    }

    /// <summary>
    /// What is asked of an activation, and put on it, before it starts: from then on its lock may be held by its own code.
    /// </summary>
    private sealed class Preparation(bool hasReaders, CallerCounts? callers) : IConfigureGrainContext
    {
        public Task Ended { get; private set; } = Task.CompletedTask;

        public JournalWaits? Waits { get; private set; }

        public CallerCounts? Callers => callers;

        public void Configure(IGrainContext context)
        {
            Ended = context.Deactivated;
            if (hasReaders)
            {
                Waits = new JournalWaits(context);
                context.SetComponent(Waits);
            }

            if (callers is not null)
            {
                context.SetComponent(callers);
            }
        }
    }
}
