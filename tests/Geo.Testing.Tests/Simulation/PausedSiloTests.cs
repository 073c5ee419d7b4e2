using Geo.Embedded;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing.Tests;

/// <summary>What is under way on a silo that stood still goes on when that has renewed its lease, and nobody is told that it did.</summary>
public class PausedSiloTests
{
    private static readonly TimeSpan Pause = TimeSpan.FromMinutes(1);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void A_call_during_which_its_silo_stood_still_is_answered(int caller) => GeoSimulation.Explore(10, async world =>
    {
        var (eu, called) = (await StartAsync(world), world.At("called"));
        await eu[1].RunAsync(() => eu[1].Grains.GetGrain<ISleeper>("1").Ticks());
        called.Suspend();
        var end = CallEnd.Failed;
        var calling = eu[caller].RunAsync(async () => end = (await eu[caller].Grains.GetGrain<ISleeper>("1").TryAsync(s => s.Stay())).End);
        await called.ReachedAsync();

        // As if the machine had been suspended, and what it ran had found itself a minute later.
        eu[1].Clock.Skew += Pause;
        Assert.False(eu[1].Present!.MayServe);
        called.Release();

        Assert.True(await calling);
        Assert.Equal(CallEnd.Answered, end);
    });

    [Fact]
    public void A_timer_that_is_due_while_its_silo_stands_still_ticks() => GeoSimulation.Explore(10, async world =>
    {
        var eu = await StartAsync(world);
        var due = TimeSpan.FromSeconds(5);
        var paused = false;
        await eu[1].RunAsync(async () =>
        {
            var sleeper = eu[1].Grains.GetGrain<ISleeper>("1");
            await sleeper.TickOnce(due);
            await world.PassAsync(due - TimeSpan.FromTicks(1));
            eu[1].Clock.Skew += Pause;
            paused = !eu[1].Present!.MayServe;
        });
        await world.PassAsync(due);

        var ticks = 0;
        await eu[1].RunAsync(async () => ticks = await eu[1].Grains.GetGrain<ISleeper>("1").Ticks());
        Assert.Equal((true, 1), (paused, ticks));
    });

    private static async Task<SimulatedCluster> StartAsync(SimulationWorld world)
    {
        var eu = world.AddCluster("eu", Configure, 2);
        world.AddCluster("us", Configure);
        await world.StartAsync();
        return eu;
    }

    private static void Configure(IHostApplicationBuilder host) => host.UseGeoEmbedded(geo => geo.AddGrain<Sleeper>());

    public interface ISleeper : IGrainWithStringKey
    {
        Task Stay();

        Task TickOnce(TimeSpan due);

        Task<int> Ticks();
    }

    [GlobalSingleInstance]
    public sealed class Sleeper : Grain, ISleeper
    {
        private int _ticks;

        public Task Stay() => SimulationPoint.ReachedAsync("called").AsTask();

        public Task TickOnce(TimeSpan due)
        {
            this.RegisterGrainTimer(
                _ =>
                {
                    _ticks++;
                    return Task.CompletedTask;
                },
                new GrainTimerCreationOptions(due, Timeout.InfiniteTimeSpan));
            return Task.CompletedTask;
        }

        public Task<int> Ticks() => Task.FromResult(_ticks);
    }
}
