using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Directory;

public sealed class TakeoverTests
{
    [Fact]
    public async Task Grains_of_a_killed_silo_are_taken_over_once_and_answer_both_clusters()
    {
        await using var clusters = await OrleansClusters.StartAsync(new() { Silos = 2, LeaseDuration = TimeSpan.FromSeconds(1) });
        var cancel = TestContext.Current.CancellationToken;
        var keys = Enumerable.Range(0, 20).Select(i => $"takeover-{i}").ToArray();
        foreach (var key in keys)
        {
            await clusters.Grains("eu", silo: 1).GetGrain<ISpot>(key).Where();
        }

        await clusters.SilosOf("eu")[1].KillAsync();
        var left = await clusters.RowsOf("eu").ListAsync(GlobalDirectory.RowPrefix, cancel).CountAsync(cancel);
        Assert.Equal(keys.Length, left);

        foreach (var key in keys)
        {
            var fromEu = await Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<ISpot>(key).Where());
            var fromUs = await Eventually.Succeeds(() => clusters.Grains("us", silo: 1).GetGrain<ISpot>(key).Where());
            Assert.Equal(fromEu, fromUs);
        }
    }

    [Fact]
    public async Task A_silo_that_was_fenced_off_serves_no_single_instance_grain_any_more()
    {
        await using var clusters = await OrleansClusters.StartAsync(new() { LeaseDuration = TimeSpan.FromMilliseconds(600) });
        var silo = clusters.SilosOf("eu")[0];
        var spot = silo.Grains.GetGrain<ISpot>("fenced");
        await spot.Where();
        var rows = clusters.RowsOf("eu");
        var key = LeaseRow.KeyOf(GrainNames.ToNode(silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress));

        await Eventually.Is(StoreWriteOutcome.Applied, async () =>
            (await rows.WriteAsync(key, LeaseRow.Fenced, (await rows.ReadAsync(key)).ETag)).Outcome);

        await Eventually.Is(true, () => Task.FromResult(silo.Services.GetRequiredService<SiloLease>().IsFenced));
        await Assert.ThrowsAsync<GeoUnavailableException>(spot.Where);
        await Assert.ThrowsAsync<GeoUnavailableException>(silo.Grains.GetGrain<ISpot>("never-called").Where);
    }
}
