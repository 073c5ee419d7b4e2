using System.Globalization;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing.Tests;

/// <summary>What docs/consistency.md and docs/operations.md say of volatile grains, in clusters of several silos.</summary>
public class VolatileAttackTests
{
    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 1)]
    [InlineData(2, 2)]
    public void Silos_that_restart_in_order_one_after_the_other_lose_nothing(int euSilos, int usSilos) =>
        GeoSimulation.Explore(20, async world =>
        {
            var (eu, us) = await StartAsync(world, euSilos, usSilos);
            for (var i = 0; i < 6; i++)
            {
                await (i % 2 == 0 ? eu : us).Client().Grain<INotes>($"{i % 3}").Add();
            }

            await world.PassAsync(TimeSpan.FromSeconds(5));
            foreach (var silo in eu.Silos.Concat(us.Silos))
            {
                await silo.StopAsync();
                await world.PassAsync(TimeSpan.FromSeconds(5));
                await silo.StartAsync();
                await world.PassAsync(TimeSpan.FromSeconds(5));
            }

            for (var i = 0; i < 3; i++)
            {
                Assert.Equal(2, await eu.Client().Grain<INotes>($"{i}").Count());
            }
        });

    [Theory]
    [InlineData(2, 1)]
    [InlineData(2, 2)]
    public void Silos_that_restart_in_order_under_calls_lose_nothing(int euSilos, int usSilos) => GeoSimulation.Explore(20, async world =>
    {
        var (eu, us) = await StartAsync(world, euSilos, usSilos);
        var (least, most) = (new int[3], new int[3]);
        var calling = world.CallAsync(1, TimeSpan.FromSeconds(45), async (client, call) =>
        {
            var key = call.Next(3);
            var added = await client.Grain<INotes>(key.ToString(CultureInfo.InvariantCulture)).TryAsync(n => n.Add());
            (least[key], most[key]) = (least[key] + added.Least, most[key] + added.Most);
        });
        foreach (var silo in eu.Silos.Concat(us.Silos))
        {
            await world.PassAsync(TimeSpan.FromSeconds(5));
            await silo.StopAsync();
            await world.PassAsync(TimeSpan.FromSeconds(4));
            await silo.StartAsync();
        }

        await calling;
        await world.HealAsync();
        for (var i = 0; i < 3; i++)
        {
            Assert.InRange(await eu.Client().Grain<INotes>($"{i}").Count(), least[i], most[i]);
        }
    });

    /// <summary>docs/operations.md, When the row store is away.</summary>
    [Fact]
    public void While_the_row_store_is_away_for_longer_than_the_lease_a_volatile_grain_confirms_nothing_there() =>
        GeoSimulation.Explore(5, async world =>
        {
            var (eu, us) = await StartAsync(world, 2, 1);
            await eu.Client().Grain<INotes>("1").Add();
            await us.Client().Grain<INotes>("2").Add();
            await world.PassAsync(TimeSpan.FromSeconds(5));
            eu.RemoteRows!.Options.Unreachable = true;
            await world.PassAsync(TimeSpan.FromSeconds(20));
            Assert.NotEqual(CallEnd.Answered, (await eu.Client().Grain<INotes>("1").TryAsync(n => n.Add())).End);
            Assert.Equal(CallEnd.Answered, (await us.Client().Grain<INotes>("2").TryAsync(n => n.Add())).End);
            eu.RemoteRows.Options.Unreachable = false;
            await world.HealAsync();
            Assert.Equal(2, await us.Client().Grain<INotes>("1").Count());
        });

    private static async Task<(SimulatedCluster Eu, SimulatedCluster Us)> StartAsync(SimulationWorld world, int euSilos, int usSilos)
    {
        var (eu, us) = (world.AddCluster("eu", Configure, euSilos), world.AddCluster("us", Configure, usSilos));
        await world.StartAsync();
        return (eu, us);
    }

    private static void Configure(IHostApplicationBuilder host)
    {
        host.Services.AddOptions();
        host.UseGeoEmbedded(geo => geo.AddGrain<Notes>());
    }

    public interface INotes : IGrainWithStringKey
    {
        Task Add();

        Task<int> Count();
    }

    [OneInstancePerCluster, VersionedLeader]
    public sealed class Notes : JournaledGrain<NoteCount, NoteAdded>, INotes
    {
        public Task Add()
        {
            RaiseEvent(new NoteAdded(1));
            return ConfirmEvents();
        }

        public async Task<int> Count()
        {
            await RefreshNow();
            return State.Notes;
        }
    }

    public sealed class NoteCount
    {
        public int Notes { get; set; }

        public void Apply(NoteAdded added) => Notes += added.Notes;
    }

    public sealed record NoteAdded(int Notes);
}
