using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Directory;

public sealed class RacingFirstCallsTests
{
    private static readonly string[] Clusters = ["eu", "us"];

    [Fact]
    public async Task Racing_first_calls_from_two_clusters_of_two_silos_reach_one_activation_per_key()
    {
        const int keys = 200;
        const int callsPerCluster = 4;
        await using var clusters = await OrleansClusters.StartAsync(new() { Silos = 2 });

        var answers = await Task.WhenAll(
            from key in Enumerable.Range(0, keys)
            from cluster in Clusters
            from call in Enumerable.Range(0, callsPerCluster)
            select CallAsync($"race-{key}", cluster, call % 2));

        Assert.Equal(keys * 2 * callsPerCluster, answers.Length);
        foreach (var byKey in answers.GroupBy(answer => answer.Key))
        {
            Assert.Single(byKey.Select(answer => answer.Where).Distinct());
            Assert.Single(Spot.Activations[byKey.Key]);
        }

        async Task<(string Key, Whereabouts Where)> CallAsync(string key, string cluster, int silo) =>
            (key, await clusters.Grains(cluster, silo).GetGrain<ISpot>(key).Where());
    }
}
