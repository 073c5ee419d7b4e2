using System.Collections.Concurrent;
using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Storage.Quorum;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Directory;

/// <summary>Grains of Orleans whose classes say where they live.</summary>
public sealed class HomeTests
{
    [Fact]
    public async Task A_grain_goes_to_its_home_and_returns_when_that_is_back()
    {
        await using var clusters = await StartAsync(["eu", "us"], typeof(InEu));
        var (moved, us) = (In("us", "moved"), In("us", "k"));
        Assert.Equal("us", await moved.Where());
        await Eventually.Is("eu", moved.Where);

        // Moved no more than once a minute: the one that returns has not moved before.
        Assert.Equal("eu", await In("eu", "k").Where());
        Assert.Equal("eu", await us.Where());
        await clusters.KillAsync("eu");
        Assert.Equal("us", await Eventually.Succeeds(us.Where));
        await clusters.RestartAsync("eu");

        // A silo that has returned is called by a silo that has lost it: not every call finds it at once.
        await Eventually.Is("eu", () => Eventually.Succeeds(us.Where));
        Assert.Contains("Its home is back.", await WhyAsync(clusters, "us"));

        IStrictSpot In(string cluster, string key) => clusters.Grains(cluster).GetGrain<IStrictSpot>(GrainId.Create("in-eu", key));
    }

    [Fact]
    public async Task An_operator_lists_moves_and_releases_grains_owned_by_majority_from_any_silo_of_their_cluster()
    {
        await using var clusters = await StartAsync(["asia", "eu", "us"], typeof(Owned));
        var id = GrainId.Create("owned-at-home", "k");
        var key = GrainNames.ToKey(id);
        var there = clusters.Grains("us", 1).GetGrain<IStrictSpot>(id);
        Assert.Equal("us", await Eventually.Succeeds(there.Where));
        foreach (var silo in clusters.SilosOf("us"))
        {
            var listed = await Of(silo).ListAsync(new() { Type = key.Type }, TestContext.Current.CancellationToken);
            Assert.Contains(key, listed.Rows.Select(row => row.Key));
        }

        var row = (await Of(clusters.SilosOf("us")[0]).InspectAsync(key, TestContext.Current.CancellationToken))!;
        var other = clusters.SilosOf("us").Single(
            silo => GrainNames.ToNode(silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress) != row.Silo);
        Assert.True(await Of(other).MoveAsync(key, new("eu"), "the operator says so", TestContext.Current.CancellationToken));
        Assert.Equal("eu", await there.Where());
        Assert.Equal(
            new ClusterId("eu"), (await Of(other).InspectAsync(key, TestContext.Current.CancellationToken))!.Owner);
        Assert.True(await Of(clusters.SilosOf("eu")[0]).ReleaseAsync(key, "the operator says so", TestContext.Current.CancellationToken));
        Assert.Equal("us", await there.Where());
    }

    [Fact]
    public async Task A_grain_owned_by_majority_follows_its_callers_too()
    {
        await using var clusters = await StartAsync(["asia", "eu", "us"], typeof(OwnedFollowing));
        var id = GrainId.Create("owned-following", "k");
        Assert.Equal("eu", await Eventually.Succeeds(clusters.Grains("eu").GetGrain<IStrictSpot>(id).Where));
        var asia = clusters.Grains("asia").GetGrain<IStrictSpot>(id);
        await Eventually.Is("asia", asia.Where);
        Assert.Equal("asia", await clusters.Grains("eu").GetGrain<IStrictSpot>(id).Where());
    }

    private static Task<GeoTestCluster> StartAsync(string[] names, params Type[] classes)
    {
        var disks = new ConcurrentDictionary<string, InMemoryConditionalStore>();
        return GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
        {
            Clusters = names,
            SilosIn = new Dictionary<string, int> { ["us"] = 2 },
            Silo = silo => silo.Configure<GrainTypeOptions>(types => types.Classes.UnionWith(classes)),
            Geo = geo => geo.AddQuorumStore(GeoStorage.Quorum, names, services => disks.GetOrAdd(
                services.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId, _ => new InMemoryConditionalStore())),
        });
    }

    private static IGeoAdministration Of(GeoTestSilo silo) => silo.Services.GetRequiredService<IGeoSilo>().Administration;

    private static async Task<IEnumerable<string>> WhyAsync(GeoTestCluster clusters, string cluster)
    {
        var moves = await clusters.SilosOf(cluster)[0].Services.GetRequiredService<ISiloAccess>().Moves.ReadAsync(
            null, 100, TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken);
        return moves.Moves.Where(move => move.Kind == MoveKind.MovedAway).Select(move => move.Why);
    }

    // Private, so that only the silos of these tests serve them.
    [GrainType("in-eu")]
    [GlobalSingleInstance, Home("eu")]
    private sealed class InEu(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
    }

    [GrainType("owned-at-home")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum)]
    private sealed class Owned(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
    }

    [GrainType("owned-following")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum), Home(HomePolicy.FollowsCallers)]
    private sealed class OwnedFollowing(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
    }
}
