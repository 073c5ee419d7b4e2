using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Failures;

public sealed class SiloStopTests
{
    [Fact]
    public async Task Grains_of_a_silo_that_stops_in_an_orderly_way_answer_at_once_without_waiting_for_its_lease()
    {
        var lease = TimeSpan.FromMinutes(2);
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Silos = 2,
            LeaseDuration = lease,
            Directory = directory => directory with { TakeoverTimeout = lease * 3 },
        });
        var keys = Enumerable.Range(0, 20).Select(i => $"stopped-{i}").ToArray();
        foreach (var key in keys)
        {
            await clusters.Grains("eu", silo: 1).GetGrain<ISpot>(key).Where();
            await clusters.Grains("us").GetGrain<ISpot>(key).Where();
        }

        await clusters.SilosOf("eu")[1].StopAsync();

        // Within the thirty seconds of Eventually, a fraction of the lease.
        foreach (var key in keys)
        {
            var fromEu = await Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<ISpot>(key).Where());
            await Eventually.Is(fromEu, () => Eventually.Succeeds(() => clusters.Grains("us").GetGrain<ISpot>(key).Where()));
        }
    }

    [Fact]
    public async Task Calls_of_another_cluster_go_to_another_silo_while_one_takes_none()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { SilosIn = new Dictionary<string, int> { ["us"] = 2 } });
        var keys = Enumerable.Range(0, 20).Select(i => $"stopping-{i}").ToArray();
        foreach (var key in keys)
        {
            Assert.Equal("us", await clusters.Grains("us").GetGrain<IStrictSpot>(key).Where());
        }

        // As it does first of all when it stops, and until it has begun.
        await clusters.SilosOf("us")[1].Services.GetRequiredService<GeoSilo>().RefuseCalls();

        foreach (var key in keys)
        {
            Assert.Equal("us", await clusters.Grains("eu").GetGrain<IStrictSpot>(key).Where());
        }
    }

    [Fact]
    public async Task A_silo_gives_its_lease_back_though_a_sibling_answers_rubbish_while_it_stops()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { Clusters = ["eu"], Silos = 2 });
        var (sibling, stopping) = (clusters.SilosOf("eu")[0].Services, clusters.SilosOf("eu")[1].Services);
        var lease = LeaseRow.KeyOf(stopping.GetRequiredService<OrleansMembership>().Local);
        sibling.GetRequiredService<GeoSilo>().Replicas.Dispose();
        var answers = sibling.GetRequiredService<SiblingServices>();
        answers.Handle("geo.view.memory", (_, _) => new(new byte[] { 1, 1 }));
        var given = 0;
        answers.Handle("geo.view.memory.give", (_, _) =>
            given++ == 0 ? throw new GeoUnavailableException("It is not answered.") : new(new byte[] { 2, 255, 255 }));
        await Assert.ThrowsAsync<GeoUnavailableException>(() => stopping.GetRequiredService<GeoSilo>().Replicas.Exchange
            .Claim!(new GrainKey("led", "rubbish"), TestContext.Current.CancellationToken));
        Assert.Equal(StoreReadOutcome.Found, await LookAsync());

        await clusters.SilosOf("eu")[1].StopAsync();

        Assert.Equal((2, StoreReadOutcome.NotFound), (given, await LookAsync()));

        async Task<StoreReadOutcome> LookAsync() =>
            (await clusters.RowsOf("eu").ReadAsync(lease, TestContext.Current.CancellationToken)).Outcome;
    }
}
