using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Directory;

/// <remarks>Eight thousand calls at one time leave nothing for others: they run alone.</remarks>
[CollectionDefinition(nameof(RacingFirstCallsTests), DisableParallelization = true)]
[Collection(nameof(RacingFirstCallsTests))]
public sealed class RacingFirstCallsTests
{
    private static readonly string[] Clusters = ["eu", "us"];

    [Fact]
    public async Task Racing_first_calls_from_two_clusters_of_two_silos_reach_one_activation_per_key()
    {
        const int keys = 1_000;
        const int callsPerCluster = 4;

        // No answer is missing here, however slow the machine is: an optimistic grain may start in both clusters when one is. All silos
        // share this process, whose pool these calls keep busy for longer than a link may usually be silent.
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Silos = 2,
            DeadLinkAfter = TimeSpan.FromMinutes(1),
            Directory = options => options with
            {
                RequestTimeout = TimeSpan.FromSeconds(20),
                RoundLifetime = TimeSpan.FromMinutes(1),
                AcquireTimeout = TimeSpan.FromMinutes(1),
            },
        });

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
