using System.Collections.Concurrent;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Features.Grains;
using Geo.Orleans.Tests.Features.Placement;
using Geo.Storage.Quorum;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using Orleans.Placement;

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
        var silos = await clusters.AcquaintedAsync("eu");

        for (var silo = 0; silo < silos.Length; silo++)
        {
            var key = $"first-called-through-{silo}";
            Assert.Equal(silos[silo].ToString(), await clusters.Grains("eu", silo).GetGrain<IHomely>(key).Where());
            Assert.Equal(silos[silo].ToString(), await clusters.Grains("us").GetGrain<IHomely>(key).Where());
        }
    }

    [Fact]
    public async Task A_strategy_and_a_filter_of_the_applications_own_choose_among_the_silos_of_the_cluster_of_the_first_call()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            SilosIn = TwoInEu,
            Silo = silo => silo.AddPlacementDirector<LastSilo, LastSiloDirector>(),
            Services = services => services.AddPlacementFilter<ButTheFirst, ButTheFirstDirector>(ServiceLifetime.Singleton),
        });
        var last = (await clusters.AcquaintedAsync("eu")).Max()!.ToString();

        foreach (var grainClass in (Type[])[typeof(OnLastSilo), typeof(NotOnFirstSilo)])
        {
            for (var silo = 0; silo < 2; silo++)
            {
                var key = $"first-called-through-{silo}";
                Assert.Equal(last, await clusters.Grains("eu", silo).GetGrain<IChoosy>(key, grainClass.FullName).Where());
                Assert.Equal(last, await clusters.Grains("us").GetGrain<IChoosy>(key, grainClass.FullName).Where());
            }
        }
    }

    [Theory]
    [InlineData("choosy-in-rounds")]
    [InlineData("choosy-by-majority")]
    public async Task A_filter_that_leaves_no_silo_of_a_cluster_keeps_instances_from_it_and_not_its_calls_of_those_elsewhere(string type)
    {
        var owners = new ConcurrentDictionary<string, IConditionalStore>();
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Silo = silo => silo.Configure<GrainTypeOptions>(
                types => types.Classes.UnionWith([typeof(ChoosyInRounds), typeof(ChoosyByMajority)])),
            Services = services => services.AddPlacementFilter<OnlyInEu, OnlyInEuDirector>(ServiceLifetime.Singleton),
            Geo = geo => geo.AddQuorumStore(GeoStorage.Quorum, ["eu", "us"], services => owners.GetOrAdd(
                services.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId, _ => new InMemoryConditionalStore())),
        });
        foreach (var cluster in owners.Keys)
        {
            var directories = clusters.SilosOf(cluster)[0].Services.GetRequiredService<GeoSilo>().Directories;
            await Eventually.Is(true, () => Task.FromResult(directories.Quorum!.MayServe));
        }

        var grain = GrainId.Create(type, "european");
        var client = await clusters.ConnectAsync("us", useGeo: true);
        IChoosy[] americans = [clusters.Grains("us").GetGrain<IChoosy>(grain), client.GetGrain<IChoosy>(grain)];
        foreach (var american in americans)
        {
            var refused = await Assert.ThrowsAnyAsync<Exception>(american.Where);
            Assert.Contains("No active nodes are compatible", refused.Message, StringComparison.Ordinal);
        }

        var there = await clusters.Grains("eu").GetGrain<IChoosy>(grain).Where();

        foreach (var american in americans)
        {
            Assert.Equal(there, await american.Where());
        }

        // By the call's request context it begins there, as it does without Geo.
        RequestContext.Set(OnlyInEu.Visa, "B1");
        var visitor = clusters.Grains("us").GetGrain<IChoosy>(GrainId.Create(type, "visitor"));
        Assert.Equal(AddressOf(clusters.SilosOf("us")[0]), await visitor.Where());
        RequestContext.Remove(OnlyInEu.Visa);
        Assert.Equal(await visitor.Where(), await clusters.Grains("eu").GetGrain<IChoosy>(visitor.GetGrainId()).Where());
    }

    [Fact]
    public async Task Activations_that_Orleans_moves_to_balance_its_silos_remain_the_one_instance_of_their_grains()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { SilosIn = TwoInEu, Silo = Rebalances });
        string[] silos = [.. clusters.SilosOf("eu").Select(AddressOf)];
        string[] keys = [.. Enumerable.Range(0, Activations).Select(i => $"balanced-{i}")];
        foreach (var key in keys)
        {
            Assert.Equal(1, await clusters.Grains("eu").GetGrain<IHomely>(key).Call());
        }

        // Seen from the other cluster, which does not see them move.
        await Eventually.Is(true, async () => (await WhereAsync()).Contains(silos[1]));

        Assert.All(await WhereAsync(), silo => Assert.Contains(silo, silos));
        foreach (var key in keys)
        {
            Assert.Equal((key, 2), (key, await clusters.Grains("us").GetGrain<IHomely>(key).Call()));
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

    private static string AddressOf(GeoTestSilo silo) => silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress.ToString();

    /// <summary>Private, so that only the silos of this test serve it.</summary>
    [GrainType("choosy-in-rounds")]
    [GlobalSingleInstance, OnlyInEu]
    private sealed class ChoosyInRounds(ILocalSiloDetails silo) : Choosy(silo);

    [GrainType("choosy-by-majority")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum), OnlyInEu]
    private sealed class ChoosyByMajority(ILocalSiloDetails silo) : Choosy(silo);

    private abstract class Choosy(ILocalSiloDetails silo) : Grain, IChoosy
    {
        public Task<string> Where() => Task.FromResult(silo.SiloAddress.ToString());
    }
}
