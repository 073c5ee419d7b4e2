using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Calls;

public sealed class CarriedCallStoreTests
{
    [Fact]
    public async Task A_carried_call_reaches_a_running_instance_without_the_row_store_on_whichever_silo_it_arrives()
    {
        var lease = TimeSpan.FromMinutes(2);
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
        {
            SilosIn = new Dictionary<string, int> { ["eu"] = 3 },
            LeaseDuration = lease,
            Directory = options => GeoTestClusterOptions.Impatient.Directory(options) with { TakeoverTimeout = lease * 3 },
        });
        var keys = Enumerable.Range(0, 30).Select(i => $"running-{i}").ToArray();
        foreach (var key in keys)
        {
            // The partition key of a grain chooses the silo that its calls arrive at: one of three, of which one has the instance.
            await clusters.Grains("eu", silo: 0).GetGrain<IHomebody>(key).Where();
            Assert.Equal("eu", await clusters.Grains("us").GetGrain<IHomebody>(key).Where());
        }

        clusters.RowsOf("eu").Unreachable = true;

        foreach (var key in keys)
        {
            Assert.Equal("eu", await clusters.Grains("us").GetGrain<IHomebody>(key).Where());
        }
    }
}
