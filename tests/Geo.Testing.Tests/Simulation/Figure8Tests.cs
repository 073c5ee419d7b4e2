using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing.Tests;

/// <summary>The inter-cluster round trips of GEO's Figure 8 on the silos that ship, in virtual time.</summary>
public sealed class Figure8Tests
{
    private static readonly TimeSpan RoundTrip = TimeSpan.FromMilliseconds(100);

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    [InlineData(7)]
    [InlineData(8)]
    public void A_call_of_a_single_instance_grain_costs_the_round_trips_of_Figure_8(
        int clusters) => GeoSimulation.Explore(seeds: 1, async world =>
    {
        (world.Network.Options.MinDelay, world.Network.Options.MaxDelay) = (RoundTrip / 2, RoundTrip / 2);
        SimulatedCluster[] all = [.. "abcdefgh".Take(clusters).Select(name => world.AddCluster(name.ToString(), Configure))];
        await world.StartAsync();
        await world.PassAsync(TimeSpan.FromSeconds(1));
        foreach (var owner in all)
        {
            foreach (var remote in all.Where(c => c != owner))
            {
                var key = $"{owner}-{remote}";
                Assert.Equal(RoundTrip, await CallAsync(world, owner, key));
                Assert.Equal(TimeSpan.Zero, await CallAsync(world, owner, key));
                Assert.Equal(2 * RoundTrip, await CallAsync(world, remote, key));
                Assert.Equal(RoundTrip, await CallAsync(world, remote, key));
                Assert.Equal(TimeSpan.Zero, await CallAsync(world, owner, key));
            }
        }
    });

    private static async Task<TimeSpan> CallAsync(SimulationWorld world, SimulatedCluster from, string key)
    {
        var took = TimeSpan.Zero;
        await from[0].RunAsync(async () =>
        {
            var before = world.Time.Elapsed;
            await from[0].Grains.GetGrain<ISpot>(key).Visit();
            took = world.Time.Elapsed - before;
        });
        return took;
    }

    private static void Configure(IHostApplicationBuilder host)
    {
        host.Services.AddOptions();
        host.UseGeoEmbedded(geo => geo.AddGrain<Spot>());
    }

    public interface ISpot : IGrainWithStringKey
    {
        Task<int> Visit();
    }

    [GlobalSingleInstance]
    public sealed class Spot : Grain, ISpot
    {
        private int _visits;

        public Task<int> Visit() => Task.FromResult(++_visits);
    }
}
