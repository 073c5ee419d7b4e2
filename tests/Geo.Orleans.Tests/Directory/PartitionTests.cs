using System.Diagnostics;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Testing.Wan;

namespace Geo.Orleans.Tests.Directory;

public sealed class PartitionTests
{
    [Fact]
    public async Task Cut_off_clusters_each_serve_an_optimistic_grain_and_one_instance_remains_after_healing()
    {
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient);
        var eu = clusters.Grains("eu").GetGrain<ISpot>("partition");
        var us = clusters.Grains("us").GetGrain<ISpot>("partition");
        clusters.Cut(CutMode.Drop);

        Assert.Equal("eu", (await eu.Where()).Cluster);
        Assert.Equal("us", (await us.Where()).Cluster);
        clusters.Heal();

        await Eventually.Is(true, async () => await eu.Where() == await us.Where());
        Assert.Equal(await eu.Where(), await us.Where());
    }

    [Fact]
    public async Task A_pessimistic_grain_is_refused_in_bounded_time_while_the_other_cluster_is_silent()
    {
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient);
        clusters.Cut(CutMode.BlackHole);
        var started = Stopwatch.GetTimestamp();

        await Assert.ThrowsAsync<GeoUnavailableException>(() => clusters.Grains("eu").GetGrain<IStrictSpot>("partition").Where());

        Assert.InRange(Stopwatch.GetElapsedTime(started), TimeSpan.Zero, TimeSpan.FromSeconds(10));
        clusters.Heal();
        await Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<IStrictSpot>("partition").Where());
    }
}
