using Geo.Directory;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Geo.Administration;

/// <summary>What the endpoint answers about the clusters of a configuration store, and does about them.</summary>
internal sealed class ConfigurationOrders(ISiloAccess silo, ILogger<ConfigurationOrders> logger)
{
    private IGeoConfiguration Configuration => silo.Configuration ?? throw new GeoConfigurationException(
        "The clusters of this silo are those of its settings: they change when all silos of all clusters have been stopped. To change them "
        + "while silos run, name a ConfigurationStore.");

    /// <summary>Describes the clusters.</summary>
    public async Task<ConfigurationAnswer> DescribeAsync(CancellationToken cancellationToken)
    {
        var view = await Configuration.DescribeAsync(cancellationToken);
        return new(
            view.Version,
            [.. view.Clusters.Select(c => new ConfigurationRow(c.Cluster.Name, c.Stage, c.EntryPoints, c.Processed, c.Held))],
            view.Waiting, view.Distrust);
    }

    /// <summary>Carries an order out; null for none that there is.</summary>
    /// <exception cref="ArgumentException">No cluster is named, or several where one is meant.</exception>
    public async Task<Done?> OrderAsync(string order, HttpRequest request, CancellationToken cancellationToken)
    {
        ClusterId[] clusters = [.. request.Query["cluster"].OfType<string>().Select(name => new ClusterId(name))];
        string[] at = [.. request.Query["at"].OfType<string>()];
        if (clusters.Length == 0 || (clusters.Length > 1 && order != "force"))
        {
            throw new ArgumentException("The request names no 'cluster', or several.");
        }

        ConfigurationChange? change = order switch
        {
            "add" => await Configuration.AddAsync(clusters[0], at, cancellationToken),
            "remove" => await Configuration.RemoveAsync(clusters[0], cancellationToken),
            "reach" => await Configuration.ReachAsync(clusters[0], at, cancellationToken),
            "force" => await Configuration.ForceRemoveAsync(clusters, cancellationToken),
            _ => null,
        };
        if (change is null)
        {
            return null;
        }

        AdministrationLog.ConfigurationOrdered(
            logger, request.HttpContext.Connection.RemoteIpAddress?.ToString() ?? "here", order, string.Join(", ", clusters),
            change.Message);
        return new(change.IsMade, change.IsMade ? $"Version {change.Version}: {change.Message}" : change.Message);
    }
}
