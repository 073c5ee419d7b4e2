using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Directory;

public sealed class AdministrationTests
{
    [Fact]
    public async Task An_operator_lists_moves_and_releases_grains_from_any_silo_of_the_cluster()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { Silos = 2 });
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

    }

    [Fact]
    public async Task An_operator_inspects_a_grain_in_doubt_and_has_it_resolved_from_any_silo_of_the_cluster()
    {
        var ended = TestContext.Current.CancellationToken;
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with { Silos = 2 });
        var administration = clusters.SilosOf("eu").Select(Of).ToArray();
        var eu = clusters.Grains("eu").GetGrain<ISpot>("doubtful");
        var key = GrainNames.ToKey(eu.GetGrainId());
        Assert.Null(await administration[0].InspectAsync(key, ended));

        clusters.Cut(CutMode.Drop);
        Assert.Equal("eu", (await Eventually.Succeeds(eu.Where)).Cluster);
        foreach (var silo in administration)
        {
            var row = await silo.InspectAsync(key, ended);
            Assert.Equal((key, GsiState.Doubtful, NodeState.Living), (row!.Key, row.State, row.Node));
            Assert.Contains(row.Silo, clusters.SilosOf("eu").Select(NodeOf));
        }

        Assert.False(await administration[0].ResolveAsync(key, ended));
        clusters.Heal();
        await Eventually.Is(true, async () => await administration[1].ResolveAsync(key, ended));

        Assert.Equal(GsiState.Owned, (await administration[0].InspectAsync(key, ended))!.State);
        Assert.Equal("eu", (await Eventually.Succeeds(() => clusters.Grains("us").GetGrain<ISpot>("doubtful").Where())).Cluster);

        // The hint is in the memory of the silo on which the grain was placed.
        var hints = await Task.WhenAll(clusters.SilosOf("us").Select(silo => Of(silo).InspectAsync(key, ended).AsTask()));
        Assert.Contains(
            (GsiState.Cached, new ClusterId("eu")), hints.OfType<DirectoryRow>().Select(row => (row.State, row.Owner)));
    }

    private static IGeoAdministration Of(GeoTestSilo silo) => silo.Services.GetRequiredService<IGeoSilo>().Administration;

    private static string NodeOf(GeoTestSilo silo) => GrainNames.ToNode(silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress);
}
