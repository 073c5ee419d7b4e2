using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Features.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Features;

public sealed class TimerTests
{
    private const int Some = 10;

    [Fact]
    public async Task Timers_of_a_single_instance_tick_only_while_its_silo_holds_the_lease()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Clusters = ["eu"],
            LeaseDuration = TimeSpan.FromSeconds(1),
            Geo = geo => geo.AddSharedGrainStorage(FeatureClusters.SharedStorage),
        });
        await clusters.Grains("eu").GetGrain<IRoamer>("single").StartTimer();
        await clusters.Grains("eu").GetGrain<IResident>("ordinary").StartTimer();
        await TicksAsync("single");
        var guard = clusters.SilosOf("eu")[0].Services.GetRequiredService<ILeaseGuard>();

        clusters.RowsOf("eu").Unreachable = true;
        await Eventually.Is(false, () => Task.FromResult(guard.MayServe));
        await TicksAsync("ordinary");
        var stopped = Roamer.Ticks["single"];
        await TicksAsync("ordinary");
        Assert.Equal(stopped, Roamer.Ticks["single"]);

        clusters.RowsOf("eu").Unreachable = false;
        await TicksAsync("single");
    }

    private static Task TicksAsync(string key)
    {
        var enough = Roamer.Ticks.GetValueOrDefault(key) + Some;
        return Eventually.Is(true, () => Task.FromResult(Roamer.Ticks.GetValueOrDefault(key) >= enough));
    }
}
