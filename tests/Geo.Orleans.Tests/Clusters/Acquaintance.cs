using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Clusters;

/// <summary>Waits until silos know each other: until then one neither places grains on another nor moves any there.</summary>
internal static class Acquaintance
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    /// <summary>The addresses of a cluster's silos, each of which knows by then which classes the others have.</summary>
    public static async Task<SiloAddress[]> AcquaintedAsync(this GeoTestCluster clusters, string cluster)
    {
        var silos = clusters.SilosOf(cluster);
        SiloAddress[] addresses = [.. silos.Select(silo => silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress)];
        await Task.WhenAll(silos.Select(silo => KnowsAsync(silo.Services.GetRequiredService<IClusterManifestProvider>(), addresses)))
            .WaitAsync(Limit, TestContext.Current.CancellationToken);
        return addresses;
    }

    private static async Task KnowsAsync(IClusterManifestProvider manifests, SiloAddress[] silos)
    {
        await using var updates = manifests.Updates.GetAsyncEnumerator();
        while (!silos.All(manifests.Current.Silos.ContainsKey))
        {
            Assert.True(await updates.MoveNextAsync());
        }
    }
}
