using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Failures;

public sealed class OneWayLinkTests
{
    [Fact]
    public async Task A_cluster_that_can_only_dial_out_takes_part_in_both_directions()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { Silos = 2, DialOutOnly = ["us"] });
        var (eu, us) = (clusters.Grains("eu"), clusters.Grains("us"));
        await Eventually.Is("us", async () => await us.GetGrain<IStrictSpot>($"probe-{Guid.NewGuid()}").Where());

        for (var i = 0; i < 10; i++)
        {
            Assert.Equal("eu", (await eu.GetGrain<ISpot>($"from-eu-{i}").Where()).Cluster);
            Assert.Equal("eu", (await us.GetGrain<ISpot>($"from-eu-{i}").Where()).Cluster);
            Assert.Equal("us", (await us.GetGrain<ISpot>($"from-us-{i}").Where()).Cluster);
            Assert.Equal("us", (await eu.GetGrain<ISpot>($"from-us-{i}").Where()).Cluster);
        }
    }
}
