using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Failures;

public sealed class ClientFailOverTests
{
    [Fact]
    public async Task A_client_goes_on_through_another_gateway_and_its_calls_over_another_entry_point()
    {
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with { Silos = 2, LosesSilos = true });
        var client = await clusters.ConnectAsync("us", useGeo: true, everyGateway: true);
        var keys = Enumerable.Range(0, 10).Select(i => $"fail-over-{i}").ToArray();
        foreach (var key in keys)
        {
            Assert.Equal("eu", (await clusters.Grains("eu").GetGrain<ISpot>(key).Where()).Cluster);
            Assert.Equal("eu", (await Eventually.Succeeds(() => client.GetGrain<ISpot>(key).Where())).Cluster);
        }

        // A gateway of the client's cluster, and an entry point of the cluster that its calls are carried to.
        await clusters.SilosOf("us")[1].KillAsync();
        await clusters.SilosOf("eu")[1].KillAsync();

        foreach (var key in keys)
        {
            var answer = await Eventually.Succeeds(() => client.GetGrain<ISpot>(key).Where());
            await Eventually.Is(answer, () => Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<ISpot>(key).Where()));
        }
    }
}
