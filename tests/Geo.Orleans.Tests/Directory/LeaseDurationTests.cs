using System.Collections.Concurrent;
using System.Diagnostics;
using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Testing.Storage;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Runtime.Placement;

namespace Geo.Orleans.Tests.Directory;

/// <summary>
/// A cluster whose settings are being changed: one silo has a long lease, its sibling a short one. The sibling watches and fences by what
/// the lease row says, never by its own setting.
/// </summary>
public sealed class LeaseDurationTests
{
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(600);
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(8);

    [Fact]
    public async Task A_silo_with_a_longer_lease_than_its_sibling_is_not_taken_for_gone_before_its_own_has_run_out()
    {
        await using var clusters = await StartAsync(losesSilos: false);
        var (watching, lasting) = (clusters.SilosOf("eu")[0], clusters.SilosOf("eu")[1]);
        var (node, before) = await PlaceAsync(clusters, "lasting");
        await RenewsAsync(clusters.RowsOf("eu"), LeaseRow.KeyOf(node));

        // Five leases of the sibling, each of which it would take for long enough if it went by its own setting; half of the other one.
        clusters.WayToRows("eu", 1).Unreachable = true;
        var since = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(since) < Short * 5)
        {
            await RenewsAsync(clusters.RowsOf("eu"), LeaseRow.KeyOf(NodeOf(watching)));
            Assert.Equal(before, await clusters.Grains("eu").GetGrain<ISpot>("lasting").Where());
        }

        Assert.True(lasting.Services.GetRequiredService<ILeaseGuard>().MayServe);
        Assert.False(lasting.Services.GetRequiredService<ClusterSilo>().IsFenced);
        Assert.Equal(NodeState.Living, watching.Services.GetRequiredService<ClusterSilo>().Liveness.StateOf(node));

        clusters.WayToRows("eu", 1).Unreachable = false;
        await RenewsAsync(clusters.RowsOf("eu"), LeaseRow.KeyOf(node));
        Assert.Equal(before, await clusters.Grains("eu").GetGrain<ISpot>("lasting").Where());
    }

    [Fact]
    public async Task The_grains_of_a_silo_that_is_dead_wait_for_its_own_lease_and_not_for_the_shorter_one_of_who_takes_them_over()
    {
        await using var clusters = await StartAsync(losesSilos: true);
        var (node, before) = await PlaceAsync(clusters, "left");
        await RenewsAsync(clusters.RowsOf("eu"), LeaseRow.KeyOf(node));
        var renewed = Stopwatch.GetTimestamp();
        await clusters.SilosOf("eu")[1].KillAsync();

        var after = await Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<ISpot>("left").Where());

        Assert.NotEqual(before, after);
        Assert.InRange(Stopwatch.GetElapsedTime(renewed), Long, TimeSpan.FromSeconds(30));
    }

    private static async Task<(string Node, Whereabouts Where)> PlaceAsync(GeoTestCluster clusters, string key)
    {
        var silo = clusters.SilosOf("eu")[1];
        RequestContext.Set(IPlacementDirector.PlacementHintKey, silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress);
        var where = await silo.Grains.GetGrain<ISpot>(key).Where();
        RequestContext.Clear();
        return (NodeOf(silo), where);
    }

    private static Task<GeoTestCluster> StartAsync(bool losesSilos)
    {
        // The silos of a cluster start one after another, and each makes its settings once.
        var started = new ConcurrentDictionary<string, int>();
        return GeoTestCluster.StartAsync(new()
        {
            Clusters = ["eu"],
            Silos = 2,
            LosesSilos = losesSilos,
            Settings = options => options.LeaseDuration =
                started.AddOrUpdate(options.ListenOn!, started.Count, (_, order) => order) == 0 ? Short : Long,
        });
    }

    private static async Task RenewsAsync(FaultyConditionalStore rows, string key)
    {
        var before = (await rows.ReadAsync(key)).ETag;
        await Eventually.Is(false, async () => (await rows.ReadAsync(key)).ETag == before);
    }

    private static string NodeOf(GeoTestSilo silo) => GrainNames.ToNode(silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress);
}
