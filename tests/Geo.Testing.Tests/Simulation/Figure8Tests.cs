using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing.Tests;

/// <summary>
/// The inter-cluster round trips of GEO's Figure 8 on the embedded silos that ship, in virtual time, with the operations on the row stores
/// beside.
/// </summary>
public sealed class Figure8Tests(ITestOutputHelper output)
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
    public void A_call_of_a_single_instance_grain_costs_the_round_trips_of_Figure_8_and_a_bounded_number_of_operations_on_rows(
        int clusters) => GeoSimulation.Explore(seeds: 1, async world =>
    {
        string[] names = [.. "abcdefgh".Take(clusters).Select(name => name.ToString())];
        var (accesses, added) = (new Accesses(), new Queue<string>(names));
        world.BreakRows = rows => accesses.Over(added.Dequeue(), rows);
        (world.Network.Options.MinDelay, world.Network.Options.MaxDelay) = (RoundTrip / 2, RoundTrip / 2);
        SimulatedCluster[] all = [.. names.Select(name => world.AddCluster(name, Configure))];
        await world.StartAsync();
        await world.PassAsync(TimeSpan.FromSeconds(1));
        foreach (var owner in all)
        {
            foreach (var remote in all.Where(c => c != owner))
            {
                var key = $"{owner}-{remote}";
                accesses.Add(
                [
                    await CallAsync(owner, key),
                    await CallAsync(owner, key),
                    await CallAsync(remote, key),
                    await CallAsync(remote, key),
                    await CallAsync(owner, key),
                    await accesses.MeasureAsync(owner.ToString(), () => EndAsync(owner, key)),
                ]);
            }
        }

        accesses.AreThoseOfFigure8("embedded", output.WriteLine);
        added = new Queue<string>(names);

        Task<AccessCost> CallAsync(SimulatedCluster from, string key) => accesses.MeasureAsync(from.ToString(), async () =>
        {
            var took = TimeSpan.Zero;
            await from[0].RunAsync(async () =>
            {
                var before = world.Time.Elapsed;
                await from[0].Grains.GetGrain<ISpot>(key).Visit();
                took = world.Time.Elapsed - before;
            });
            Assert.Equal(TimeSpan.Zero, TimeSpan.FromTicks(took.Ticks % RoundTrip.Ticks));
            return (int)(took / RoundTrip);
        });

        async Task<int> EndAsync(SimulatedCluster from, string key)
        {
            await from[0].RunAsync(() => from[0].Grains.GetGrain<ISpot>(key).End());
            await world.PassAsync(TimeSpan.FromSeconds(1));
            return 0;
        }
    });

    private static void Configure(IHostApplicationBuilder host)
    {
        host.Services.AddOptions();
        host.UseGeoEmbedded(geo => geo.AddGrain<Spot>());
    }

    public interface ISpot : IGrainWithStringKey
    {
        Task<int> Visit();

        Task End();
    }

    [GlobalSingleInstance]
    public sealed class Spot : Grain, ISpot
    {
        private int _visits;

        public Task<int> Visit() => Task.FromResult(++_visits);

        public Task End()
        {
            DeactivateOnIdle();
            return Task.CompletedTask;
        }
    }
}
