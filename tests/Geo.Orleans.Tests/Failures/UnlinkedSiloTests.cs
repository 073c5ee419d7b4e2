using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Runtime.Placement;

namespace Geo.Orleans.Tests.Failures;

/// <summary>A silo of several that has lost its own links to the other cluster, which its siblings still reach.</summary>
public sealed class UnlinkedSiloTests
{
    private static readonly ClusterId Us = new("us");

    [Theory]
    [InlineData(CutMode.Drop)]
    [InlineData(CutMode.BlackHole)]
    public async Task Calls_of_a_silo_without_a_link_of_its_own_reach_their_grains_through_its_siblings(CutMode mode)
    {
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with { Silos = 3 });
        var keys = Enumerable.Range(0, 10).Select(i => $"unlinked-{mode}-{i}").ToArray();
        var theirs = new Dictionary<string, Whereabouts>();
        foreach (var key in keys)
        {
            theirs[key] = await clusters.Grains("us").GetGrain<ISpot>(key).Where();
            Assert.Equal("us", await clusters.Grains("us").GetGrain<IStrictSpot>(key).Where());
        }

        clusters.Cut("eu", silo: 1, mode);
        await Eventually.Is(false, () => Task.FromResult(IsLinked(1)));
        Assert.True(IsLinked(0) && IsLinked(2));

        var eu = clusters.Grains("eu", silo: 1);
        RequestContext.Set(
            IPlacementDirector.PlacementHintKey, clusters.SilosOf("eu")[1].Services.GetRequiredService<ILocalSiloDetails>().SiloAddress);
        foreach (var key in keys)
        {
            // No answer of the first try is excused: a link of the siblings is as good as its own.
            Assert.Equal(theirs[key], await eu.GetGrain<ISpot>(key).Where());
            Assert.Equal("us", await eu.GetGrain<IStrictSpot>(key).Where());

            // Grains that are nowhere yet are asked for in the other cluster, too: confirmed there, and refused to nobody.
            Assert.Equal("eu", await eu.GetGrain<IStrictSpot>($"new-{key}").Where());
            var placed = await eu.GetGrain<ISpot>($"new-{key}").Where();
            Assert.Equal(GsiState.Owned, (await RowOf(eu.GetGrain<ISpot>($"new-{key}")))!.State);
            Assert.Equal(placed, await clusters.Grains("us", silo: 2).GetGrain<ISpot>($"new-{key}").Where());
        }

        RequestContext.Clear();
        Assert.False(IsLinked(1));
        Assert.All(keys, key => Assert.Single(Spot.Activations[key]));
        Assert.All(keys, key => Assert.Single(Spot.Activations[$"new-{key}"]));

        bool IsLinked(int silo) => clusters.SilosOf("eu")[silo].Services.GetRequiredService<IGeoSilo>().IsLinkedTo(Us);

        ValueTask<DirectoryRow?> RowOf(ISpot grain) => clusters.SilosOf("eu")[1].Services.GetRequiredService<IGeoSilo>()
            .Administration.InspectAsync(GrainNames.ToKey(grain.GetGrainId()), TestContext.Current.CancellationToken);
    }
}
