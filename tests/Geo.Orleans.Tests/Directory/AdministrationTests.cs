using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Directory;

public sealed class AdministrationTests
{
    [Fact]
    public async Task An_operator_lists_moves_and_releases_grains_from_any_silo_of_the_cluster()
    {
        await using var clusters = await OrleansClusters.StartAsync(new() { Silos = 2 });
        var eu = clusters.Grains("eu").GetGrain<ISpot>("administered");
        Assert.Equal("eu", (await eu.Where()).Cluster);
        var key = GrainNames.ToKey(eu.GetGrainId());
        foreach (var silo in clusters.SilosOf("eu"))
        {
            var listed = await Of(silo).ListAsync(new() { State = GsiState.Owned, Type = key.Type }, TestContext.Current.CancellationToken);
            Assert.Equal([key], listed.Rows.Select(row => row.Key));
        }

        Assert.True(
            await Of(clusters.SilosOf("eu")[1])
                .MoveAsync(key, new ClusterId("us"), "the operator says so", TestContext.Current.CancellationToken));
        Assert.Equal("us", (await eu.Where()).Cluster);

        Assert.False(await Of(clusters.SilosOf("eu")[0]).ReleaseAsync(key, "it is not here", TestContext.Current.CancellationToken));
        Assert.True(await Of(clusters.SilosOf("us")[1]).ReleaseAsync(key, "the operator says so", TestContext.Current.CancellationToken));
        Assert.Equal("eu", (await eu.Where()).Cluster);

        static IGeoAdministration Of(OrleansSilo silo) => silo.Services.GetRequiredService<IGeoSilo>().Administration;
    }
}
