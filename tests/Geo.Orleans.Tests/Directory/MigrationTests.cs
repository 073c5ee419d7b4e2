using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Directory;

public sealed class MigrationTests
{
    [Fact]
    public async Task A_migrating_activation_keeps_its_state_and_its_cluster()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { Silos = 2 });
        var eu = clusters.Grains("eu").GetGrain<ISpot>("migrant");
        var us = clusters.Grains("us").GetGrain<ISpot>("migrant");
        var before = await eu.Where();
        await us.Add(42);
        var directory = clusters.SilosOf("eu")[0].Services.GetRequiredService<GeoSilo>().Directory;
        var nodes = clusters.SilosOf("eu").Select(silo => silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress).ToArray();
        var from = (await LookAsync())!.Value.Node;
        var to = nodes.Single(silo => GrainNames.ToNode(silo) != from);

        await eu.MoveTo(to);

        await Eventually.Is(GrainNames.ToNode(to), async () =>
        {
            // The row is there all the time, and never another cluster's.
            var placement = (await LookAsync())!.Value;
            Assert.Equal(PlacementKind.Here, placement.Kind);
            return placement.Node!;
        });
        var after = await us.Where();
        Assert.NotEqual(before.Activation, after.Activation);
        Assert.Equal("eu", after.Cluster);
        Assert.Equal(42, await us.Add(0));
        await Eventually.Is(1, () => Task.FromResult(clusters.SilosOf("eu").Count(silo =>
            silo.Services.GetRequiredService<GeoSilo>().Directory.TenancyOf(GrainNames.ToKey(eu.GetGrainId())) is not null)));

        ValueTask<Placement?> LookAsync() => directory.LookupAsync(GrainNames.ToKey(eu.GetGrainId()));
    }
}
