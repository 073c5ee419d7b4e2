using System.Diagnostics;
using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Testing.Storage;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Orleans.Runtime.Placement;

namespace Geo.Orleans.Tests.Directory;

public sealed class TakeoverTests
{
    private static readonly TimeSpan Lease = TimeSpan.FromSeconds(3);

    // The promise is one second beyond the lease; a busy machine gets more time unless the figures are wanted.
    private static readonly TimeSpan Slack = TimeSpan.FromSeconds(LongRuns.Wanted ? 1 : 6);

    [Fact]
    public async Task Grains_of_a_killed_silo_answer_both_clusters_from_one_instance_within_its_lease_after_the_cluster_has_noticed()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { Silos = 2, LosesSilos = true, LeaseDuration = Lease });
        var cancel = TestContext.Current.CancellationToken;
        var keys = Enumerable.Range(0, 20).Select(i => $"takeover-{i}").ToArray();
        var killed = clusters.SilosOf("eu")[1].Services.GetRequiredService<ILocalSiloDetails>().SiloAddress;
        RequestContext.Set(IPlacementDirector.PlacementHintKey, killed);
        foreach (var key in keys)
        {
            await clusters.Grains("eu", silo: 1).GetGrain<ISpot>(key).Where();
        }

        RequestContext.Clear();
        var membership = clusters.SilosOf("eu")[0].Services.GetRequiredService<IClusterMembershipService>();
        await clusters.SilosOf("eu")[1].KillAsync();
        var left = await clusters.RowsOf("eu").ListAsync(GlobalDirectory.RowPrefix, cancel).CountAsync(cancel);
        Assert.Equal(keys.Length, left);
        var noticed = NoticedAsync();

        var answers = await Task.WhenAll(keys.Select(async key => (
            FromEu: await Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<ISpot>(key).Where()),
            FromUs: await Eventually.Succeeds(() => clusters.Grains("us", silo: 1).GetGrain<ISpot>(key).Where()))));

        var took = Stopwatch.GetElapsedTime(await noticed);
        Assert.All(answers, answer => Assert.Equal(answer.FromEu, answer.FromUs));
        Assert.InRange(took, TimeSpan.Zero, (Lease * 1.1) + Slack);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"All answered {took.TotalSeconds:0.00} s after the cluster had noticed, with a lease of {Lease.TotalSeconds} s.");

        async Task<long> NoticedAsync()
        {
            while (membership.CurrentSnapshot.GetSiloStatus(killed) != SiloStatus.Dead)
            {
                await Task.Delay(10, cancel);
            }

            return Stopwatch.GetTimestamp();
        }
    }

    [Fact]
    public async Task Pessimistic_grains_of_a_killed_silo_go_on_in_its_cluster_while_no_other_cluster_can_be_asked()
    {
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with { Silos = 2, LosesSilos = true });
        var incarnations = clusters.SilosOf("eu").Select(silo => silo.Services.GetRequiredService<ClusterSilo>().Instances.Incarnation);
        Assert.Equal([1, 1], incarnations);
        var keys = Enumerable.Range(0, 10).Select(i => $"kept-{i}").ToArray();
        RequestContext.Set(
            IPlacementDirector.PlacementHintKey, clusters.SilosOf("eu")[1].Services.GetRequiredService<ILocalSiloDetails>().SiloAddress);
        foreach (var key in keys)
        {
            await clusters.Grains("eu", silo: 1).GetGrain<IStrictSpot>(key).Where();
        }

        RequestContext.Clear();
        clusters.Cut();
        await clusters.SilosOf("eu")[1].KillAsync();

        foreach (var key in keys)
        {
            Assert.Equal("eu", await Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<IStrictSpot>(key).Where()));
        }
    }

    [Fact]
    public async Task Grains_of_a_silo_that_alone_has_lost_the_row_store_answer_on_its_sibling_and_the_silo_ends()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { Silos = 2, LeaseDuration = Lease });
        var lost = clusters.SilosOf("eu")[1];
        var node = GrainNames.ToNode(lost.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress);
        var keys = Enumerable.Range(0, 10).Select(i => $"lost-{i}").ToArray();
        RequestContext.Set(IPlacementDirector.PlacementHintKey, lost.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress);
        foreach (var key in keys)
        {
            await clusters.Grains("eu", silo: 1).GetGrain<ISpot>(key).Where();
            await clusters.Grains("eu", silo: 1).GetGrain<IStrictSpot>(key).Where();
        }

        RequestContext.Clear();

        // The sibling has to have seen it renew: one that it never saw renew is given a minute more.
        await RenewsAsync(clusters.RowsOf("eu"), LeaseRow.KeyOf(node), times: 8);
        clusters.WayToRows("eu", 1).Unreachable = true;
        var began = Stopwatch.GetTimestamp();
        var liveness = clusters.SilosOf("eu")[0].Services.GetRequiredService<ClusterSilo>().Liveness;
        await Eventually.Is(NodeState.Gone, () => Task.FromResult(liveness.StateOf(node)));
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"Fenced off after {Stopwatch.GetElapsedTime(began).TotalSeconds:0.00} s, with a lease of {Lease.TotalSeconds} s.");

        // It was told, and ends as the host of a process does.
        await Eventually.Is(true, () => Task.FromResult(IsStopping(lost)));
        await lost.StopAsync();

        foreach (var key in keys)
        {
            Assert.Equal("eu", (await Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<ISpot>(key).Where())).Cluster);
            Assert.Equal("eu", await Eventually.Succeeds(() => clusters.Grains("us").GetGrain<IStrictSpot>(key).Where()));
        }
    }

    [Fact]
    public async Task A_silo_that_was_fenced_off_serves_no_single_instance_grain_any_more()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { LeaseDuration = TimeSpan.FromMilliseconds(600) });
        var silo = clusters.SilosOf("eu")[0];
        var spot = silo.Grains.GetGrain<ISpot>("fenced");
        await spot.Where();
        var rows = clusters.RowsOf("eu");
        var key = LeaseRow.KeyOf(GrainNames.ToNode(silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress));

        await Eventually.Is(StoreWriteOutcome.Applied, async () =>
            (await rows.WriteAsync(
                key, new LeaseRow { IsFenced = true, Duration = Lease }.Encode(), (await rows.ReadAsync(key)).ETag)).Outcome);

        await Eventually.Is(true, () => Task.FromResult(silo.Services.GetRequiredService<ClusterSilo>().IsFenced));
        await Eventually.Is(true, () => Task.FromResult(IsStopping(silo)));
        await Assert.ThrowsAsync<GeoUnavailableException>(spot.Where);
        await Assert.ThrowsAsync<GeoUnavailableException>(silo.Grains.GetGrain<ISpot>("never-called").Where);
    }

    private static async Task RenewsAsync(FaultyConditionalStore rows, string key, int times)
    {
        for (var i = 0; i < times; i++)
        {
            var before = (await rows.ReadAsync(key)).ETag;
            await Eventually.Is(false, async () => (await rows.ReadAsync(key)).ETag == before);
        }
    }

    private static bool IsStopping(GeoTestSilo silo) =>
        silo.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.IsCancellationRequested;
}
