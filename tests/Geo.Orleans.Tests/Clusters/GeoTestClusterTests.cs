using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Clusters;

public sealed class GeoTestClusterTests
{
    [Fact]
    public async Task Silos_of_all_clusters_serve_one_instance()
    {
        await using var regions = await GeoTestCluster.StartAsync(
            new() { Clusters = ["eu", "us", "ap"], Silos = 2, OneWayDelay = TimeSpan.FromMilliseconds(5) });

        var sums = await Task.WhenAll(
            from cluster in (string[])["eu", "us", "ap"]
            from silo in (int[])[0, 1]
            select regions.Grains(cluster, silo).GetGrain<ISpot>("one").Add(1));

        Assert.Equal([1, 2, 3, 4, 5, 6], sums.Order());
    }

    [Fact]
    public async Task Clusters_that_cannot_dial_each_other_end_the_start()
    {
        var refused = await Assert.ThrowsAsync<TimeoutException>(() => GeoTestCluster.StartAsync(
            new() { DialOutOnly = ["eu", "us"], LinkTimeout = TimeSpan.FromSeconds(1) }));

        Assert.Contains("no links", refused.Message, StringComparison.Ordinal);
    }
}
