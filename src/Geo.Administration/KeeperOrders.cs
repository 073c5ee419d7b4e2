using Geo.Directory;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Geo.Administration;

/// <summary>What the endpoint answers about the clusters that keep stores together, and does about them.</summary>
internal sealed class KeeperOrders(ISiloAccess silo, ILogger<KeeperOrders> logger)
{
    /// <summary>Describes the stores. One whose clusters do not answer says so, and the others are told all the same.</summary>
    public async Task<KeepersAnswer> DescribeAsync(CancellationToken cancellationToken) =>
        new(await Task.WhenAll(
            silo.KeptStores.OrderBy(s => s.Key, StringComparer.Ordinal).Select(s => DescribeAsync(s.Key, s.Value, cancellationToken))));

    /// <summary>
    /// Carries an order out, to its end though the one who asked may not wait until every key is written; null for none that there is.
    /// </summary>
    /// <exception cref="ArgumentException">No cluster is named, or several where one is meant; or no store that there is.</exception>
    public async Task<Done?> OrderAsync(string order, HttpRequest request)
    {
        var store = Store(request.Query["store"].ToString());
        ClusterId[] clusters = [.. request.Query["cluster"].OfType<string>().Select(name => new ClusterId(name))];
        if (clusters.Length == 0 || (clusters.Length > 1 && order != "force"))
        {
            throw new ArgumentException("The request names no 'cluster', or several.");
        }

        ConfigurationChange? change = order switch
        {
            "add" => await store.AddKeeperAsync(clusters[0], CancellationToken.None),
            "remove" => await store.RemoveKeeperAsync(clusters[0], CancellationToken.None),
            "force" => await store.ForceRemoveKeepersAsync(clusters, CancellationToken.None),
            _ => null,
        };
        if (change is null)
        {
            return null;
        }

        AdministrationLog.KeepersOrdered(
            logger, request.HttpContext.Connection.RemoteIpAddress?.ToString() ?? "here", order, string.Join(", ", clusters),
            request.Query["store"].ToString(), change.Message);
        return new(change.IsMade, change.IsMade ? $"Version {change.Version}: {change.Message}" : change.Message);
    }

    private static async Task<KeepersRow> DescribeAsync(string name, IKeptStore store, CancellationToken cancellationToken)
    {
        try
        {
            var keepers = await store.DescribeKeepersAsync(cancellationToken);
            return new(name, keepers.Version, [.. keepers.Clusters.Select(c => c.Name)], keepers.IsSettled, null);
        }
        catch (GeoUnavailableException e)
        {
            return new(name, null, [], false, e.Message.ReplaceLineEndings(" "));
        }
    }

    private IKeptStore Store(string name) =>
        silo.KeptStores.FirstOrDefault(s => s.Key == name).Value
        ?? throw new ArgumentException(
            $"The clusters keep no store named '{name}' together; they keep "
            + $"[{string.Join(", ", silo.KeptStores.Select(s => s.Key).Order(StringComparer.Ordinal))}].");
}
