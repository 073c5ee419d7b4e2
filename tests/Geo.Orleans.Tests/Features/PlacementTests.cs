using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Features.Grains;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Features;

/// <summary>Where Orleans places and moves activations, among the silos of a cluster of two.</summary>
public sealed class PlacementTests
{
    private const int Activations = 100;

    private static readonly Dictionary<string, int> TwoInEu = new() { ["eu"] = 2 };

    [Fact]
    public async Task A_placement_attribute_chooses_among_the_silos_of_the_cluster_of_the_first_call()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { SilosIn = TwoInEu });
        var silos = SilosOfEu(clusters);

        for (var silo = 0; silo < silos.Length; silo++)
        {
            var key = $"first-called-through-{silo}";
            Assert.Equal(silos[silo], await clusters.Grains("eu", silo).GetGrain<IHomely>(key).Where());
            Assert.Equal(silos[silo], await clusters.Grains("us").GetGrain<IHomely>(key).Where());
        }
    }

    [Fact]
    public async Task Activations_that_Orleans_moves_to_balance_its_silos_remain_the_one_instance_of_their_grains()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { SilosIn = TwoInEu, Silo = Rebalances });
        var silos = SilosOfEu(clusters);
        string[] keys = [.. Enumerable.Range(0, Activations).Select(i => $"balanced-{i}")];
        foreach (var key in keys)
        {
            var homely = clusters.Grains("eu").GetGrain<IHomely>(key);
            Assert.Equal(1, await homely.Call());
        }

        // Seen from the other cluster, which does not see them move.
        await Eventually.Is(true, async () => (await WhereAsync()).Contains(silos[1]));

        Assert.All(await WhereAsync(), silo => Assert.Contains(silo, silos));
        foreach (var key in keys)
        {
            Assert.Equal(2, await clusters.Grains("us").GetGrain<IHomely>(key).Call());
        }

        async Task<string[]> WhereAsync() =>
            await Task.WhenAll(keys.Select(key => clusters.Grains("us").GetGrain<IHomely>(key).Where()));
    }

#pragma warning disable ORLEANSEXP002 // Orleans calls it experimental.
    /// <summary>As often as it can be, and as much at a time.</summary>
    private static void Rebalances(ISiloBuilder silo) => silo
        .AddActivationRebalancer()
        .Configure<DeploymentLoadPublisherOptions>(options => options.DeploymentLoadPublisherRefreshTime = TimeSpan.FromMilliseconds(250))
        .Configure<ActivationRebalancerOptions>(options =>
        {
            options.RebalancerDueTime = TimeSpan.FromSeconds(1);
            options.SessionCyclePeriod = TimeSpan.FromMilliseconds(500);
            options.CycleNumberWeight = 1;
            options.SiloNumberWeight = 0;
        });
#pragma warning restore ORLEANSEXP002

    private static string[] SilosOfEu(GeoTestCluster clusters) => [.. clusters.SilosOf("eu").Select(silo => AddressOf(silo).ToString())];

    private static SiloAddress AddressOf(GeoTestSilo silo) => silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress;
}
