using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Failures;

public sealed class ClusterLossTests
{
    private static readonly TimeSpan UnreachableAfter = TimeSpan.FromSeconds(1);

    private static readonly GeoTestClusterOptions Options = GeoTestClusterOptions.Impatient with
    {
        Settings = settings => settings.UnreachableAfter = UnreachableAfter,
    };

    [Fact]
    public async Task Grains_of_a_killed_cluster_answer_elsewhere_and_keep_that_instance_when_it_is_back()
    {
        await using var clusters = await GeoTestCluster.StartAsync(Options);
        var keys = Enumerable.Range(0, 10).Select(i => $"lost-{i}").ToArray();
        foreach (var key in keys)
        {
            Assert.Equal("eu", (await clusters.Grains("eu").GetGrain<ISpot>(key).Where()).Cluster);
            Assert.Equal("eu", (await clusters.Grains("us").GetGrain<ISpot>(key).Where()).Cluster);
        }

        await clusters.KillAsync("eu");
        var survivors = new Dictionary<string, Whereabouts>();
        foreach (var key in keys)
        {
            survivors[key] = await Eventually.Succeeds(() => clusters.Grains("us").GetGrain<ISpot>(key).Where());
            Assert.Equal("us", survivors[key].Cluster);
            Assert.Equal(7, await clusters.Grains("us").GetGrain<ISpot>(key).Add(7));
        }

        await clusters.RestartAsync("eu");
        foreach (var key in keys)
        {
            await Eventually.Is(survivors[key], () => Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<ISpot>(key).Where()));
            Assert.Equal(survivors[key], await clusters.Grains("us").GetGrain<ISpot>(key).Where());
            Assert.Equal(7, await clusters.Grains("us").GetGrain<ISpot>(key).Add(0));
        }
    }

    [Fact]
    public async Task A_pessimistic_grain_of_a_killed_cluster_stays_refused_until_it_is_back()
    {
        await using var clusters = await GeoTestCluster.StartAsync(Options);
        await clusters.Grains("eu").GetGrain<IStrictSpot>("lost").Where();
        var us = clusters.Grains("us").GetGrain<IStrictSpot>("lost");
        Assert.Equal("eu", await us.Where());
        await clusters.Grains("eu").GetGrain<ISpot>("beside").Where();
        await clusters.Grains("us").GetGrain<ISpot>("beside").Where();

        await clusters.KillAsync("eu");

        // Once the optimistic grain beside it has been given up, the time after which the other would be has passed, too.
        Assert.Equal("us", (await Eventually.Succeeds(() => clusters.Grains("us").GetGrain<ISpot>("beside").Where())).Cluster);
        await Assert.ThrowsAsync<GeoUnavailableException>(us.Where);

        await clusters.RestartAsync("eu");
        await Eventually.Succeeds(us.Where);
    }

    [Fact]
    public async Task A_grain_of_a_cluster_that_was_only_cut_off_is_one_again_when_it_is_heard_of()
    {
        await using var clusters = await GeoTestCluster.StartAsync(Options);
        var eu = clusters.Grains("eu").GetGrain<ISpot>("cut-off");
        var us = clusters.Grains("us").GetGrain<ISpot>("cut-off");
        var before = await eu.Where();
        Assert.Equal(before, await us.Where());

        clusters.Cut();
        Assert.Equal("us", (await Eventually.Succeeds(us.Where)).Cluster);
        Assert.Equal(before, await eu.Where());
        clusters.Heal();

        // The cluster that owned it all along keeps it.
        await Eventually.Is(before, () => Eventually.Succeeds(us.Where));
        Assert.Equal(before, await eu.Where());
    }
}
