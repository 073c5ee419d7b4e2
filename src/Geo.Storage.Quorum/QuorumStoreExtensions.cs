using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum;

/// <summary>Picks a store by majority, in one line of UseGeo or UseGeoEmbedded.</summary>
public static class QuorumStoreExtensions
{
    /// <summary>
    /// Adds a store for grains' states and versions that the clusters keep together, each in a store of its own: it needs no storage that
    /// all regions reach, and goes on while any minority of the clusters is lost.
    /// </summary>
    /// <param name="geo">The host's builder.</param>
    /// <param name="name">The name that grains know the store by; "Default" where they name none. The same in all clusters.</param>
    /// <param name="clusters">
    /// The clusters that keep the values at the beginning, the same in all and for good: three or more, or any cut stops it. Later ones
    /// come and go by <see cref="QuorumConditionalStore.AddKeeperAsync"/> and <see cref="QuorumConditionalStore.RemoveKeeperAsync"/>.
    /// </param>
    /// <param name="rows">
    /// Makes the cluster's own store, in which nothing else is kept and which its silos share; null where the cluster is never to keep
    /// values.
    /// </param>
    /// <param name="options">Settings; the defaults when null. The service is named after the store unless they name one.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range, a cluster cannot be, or the name is taken.</exception>
    public static TBuilder AddQuorumStore<TBuilder>(
        this TBuilder geo, string name, IEnumerable<string> clusters, Func<IServiceProvider, IConditionalStore>? rows,
        QuorumStoreOptions? options = null)
        where TBuilder : IGeoStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        ArgumentNullException.ThrowIfNull(clusters);
        var configuration = new QuorumConfiguration(1, [.. clusters.Select(Named)]).Checked();
        var settings = options ?? new QuorumStoreOptions();
        settings = (settings with { Service = settings.Service ?? $"geo/quorum/{name}" }).Checked();
        geo.AddOwnedStore(name, services => new QuorumConditionalStore(
            configuration, rows?.Invoke(services), settings, services.GetService(typeof(TimeProvider)) as TimeProvider,
            logger: services.GetService(typeof(ILogger<QuorumConditionalStore>)) as ILogger<QuorumConditionalStore>));
        return geo;
    }

    private static ClusterId Named(string name)
    {
        try
        {
            return new ClusterId(name);
        }
        catch (ArgumentException e)
        {
            throw new GeoConfigurationException($"A cluster of a quorum store is named '{name}': {e.Message}", e);
        }
    }
}
