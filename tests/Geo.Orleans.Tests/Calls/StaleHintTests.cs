using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Calls;

public sealed class StaleHintTests
{
    [Fact]
    public async Task Grains_that_moved_answer_although_silos_of_their_cluster_remember_where_they_were_and_one_of_them_stops()
    {
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
        {
            SilosIn = new Dictionary<string, int> { ["us"] = 3 },
        });
        var keys = Enumerable.Range(0, 60).Select(i => $"moved-{i}").ToArray();
        await Task.WhenAll(keys.Select(async key =>
        {
            var eu = clusters.Grains("eu").GetGrain<IHomebody>(key);
            Assert.Equal("eu", await eu.Where());
            Assert.Equal("eu", await clusters.Grains("us", silo: 1).GetGrain<IHomebody>(key).Where());
            await eu.End();

            // The notice of the release reaches one silo, which forgets; silo 1 may remember.
            await Eventually.Is(false, async () => await HasRowAsync(clusters, "eu", key) || await HasRowAsync(clusters, "us", key));
            Assert.Equal("us", await clusters.Grains("us", silo: 0).GetGrain<IHomebody>(key).Where());
        }));

        await clusters.SilosOf("us")[2].StopAsync();

        // Those in which a silo that is left has to answer for another one than before.
        var lost = new List<string>();
        foreach (var key in keys)
        {
            try
            {
                Assert.Equal("us", await clusters.Grains("eu").GetGrain<IHomebody>(key).Where());
            }
            catch (GeoUnavailableException e)
            {
                lost.Add($"{key}: {e.Message}");
            }
        }

        Assert.Empty(lost);
    }

    /// <summary>
    /// The silo of the cluster at which a call arrives may remember another one that had the instance: it has ended, and the cluster has no
    /// claim to the next one.
    /// </summary>
    [Fact]
    public async Task A_grain_that_has_ended_begins_where_it_is_called_although_a_silo_of_its_cluster_remembers_another_that_had_it()
    {
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
        {
            SilosIn = new Dictionary<string, int> { ["eu"] = 2 },
        });
        var keys = Enumerable.Range(0, 20).Select(i => $"ended-{i}").ToArray();
        foreach (var key in keys)
        {
            var eu = clusters.Grains("eu", silo: 1).GetGrain<IHomebody>(key);
            Assert.Equal("eu", await eu.Where());
            Assert.Equal("eu", await clusters.Grains("us").GetGrain<IHomebody>(key).Where());
            await eu.End();
            await Eventually.Is(false, () => HasRowAsync(clusters, "eu", key));

            Assert.Equal("us", await clusters.Grains("us").GetGrain<IHomebody>(key).Where());
        }
    }

    private static async Task<bool> HasRowAsync(GeoTestCluster clusters, string cluster, string key) =>
        (await clusters.RowsOf(cluster).ReadAsync($"{GlobalDirectory.RowPrefix}homebody/{key}", CancellationToken.None)).Outcome
            == StoreReadOutcome.Found;
}
