using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing.Tests;

/// <summary>What docs/simulation.md says of each thing that a scenario can do to its world.</summary>
public class ScenarioToolsTests
{
    private const int Seeds = 5;

    [Fact]
    public void A_link_takes_as_long_as_it_is_told_one_way_and_the_way_back_does_not() => GeoSimulation.Explore(Seeds, async world =>
    {
        var (eu, us) = await StartAsync(world);
        await eu.Client().Grain<IProbe>("1").Add();
        var abroad = us.Client().Grain<IProbe>("1");
        await abroad.Add();
        var usual = await TakesAsync(world, abroad.Add);

        world.Link(us, eu).Takes(TimeSpan.FromSeconds(3));
        Assert.InRange(await TakesAsync(world, abroad.Add), TimeSpan.FromSeconds(3), TimeSpan.FromSeconds(3) + (5 * usual));

        world.Link(eu, us).Takes(TimeSpan.FromSeconds(2));
        Assert.InRange(await TakesAsync(world, abroad.Add), TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(5) + (5 * usual));
    });

    [Fact]
    public void The_wall_clock_of_one_machine_is_off_by_its_skew_and_nobody_elses() => GeoSimulation.Explore(Seeds, async world =>
    {
        var (eu, us) = await StartAsync(world, silos: 2);
        eu[0].Clock.Skew = TimeSpan.FromHours(-3);
        await eu[0].RunAsync(() => eu[0].Grains.GetGrain<IProbe>("behind").Add());
        await eu[1].RunAsync(() => eu[1].Grains.GetGrain<IProbe>("right").Add());
        await us[0].RunAsync(() => us[0].Grains.GetGrain<IProbe>("abroad").Add());

        Assert.Equal(TimeSpan.FromHours(-3), await AheadAsync("behind"));
        Assert.Equal(TimeSpan.Zero, await AheadAsync("right"));
        Assert.Equal(TimeSpan.Zero, await AheadAsync("abroad"));

        // Leases do not mind.
        await world.PassAsync(TimeSpan.FromSeconds(20));
        Assert.Equal(2, await eu.Client().Grain<IProbe>("behind").Add());

        async Task<TimeSpan> AheadAsync(string key)
        {
            var (shown, at) = await eu.Client().Grain<IProbe>(key).Now();
            return shown - (world.Time.GetUtcNow() - world.Time.Elapsed) - at;
        }
    });

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_silo_without_links_of_its_own_is_cut_off_unless_a_sibling_sends_for_it(int silos) =>
        GeoSimulation.Explore(Seeds, async world =>
        {
            var (eu, us) = await StartAsync(world, silos);
            await us.Client().Grain<IStrictProbe>("1").Add();
            var unlinked = eu[0];
            unlinked.Unlink(us);
            await world.PassAsync(TimeSpan.FromSeconds(1));
            Assert.Equal(silos > 1 ? CallEnd.Answered : CallEnd.Failed, await EndAsync());

            unlinked.Link();
            await world.PassAsync(TimeSpan.FromSeconds(1));
            Assert.Equal(CallEnd.Answered, await EndAsync());

            async Task<CallEnd> EndAsync()
            {
                var end = CallEnd.Unknown;
                await unlinked.RunAsync(
                    async () => end = (await unlinked.Grains.GetGrain<IStrictProbe>("1").TryAsync(p => p.Add())).End);
                return end;
            }
        });

    [Fact]
    public void A_silo_that_is_suspected_ends_when_it_learns_of_it_and_its_grains_go_on_elsewhere() =>
        GeoSimulation.Explore(Seeds, async world =>
        {
            var (eu, us) = await StartAsync(world, silos: 2);
            await eu[1].RunAsync(() => eu[1].Grains.GetGrain<IStrictProbe>("1").Add());
            eu[1].Suspect();
            Assert.True(eu[1].IsUp);
            await world.UntilAsync(() => !eu[1].IsUp, TimeSpan.FromSeconds(5));

            var client = eu.Client();
            var end = CallEnd.Failed;
            for (var limit = world.Time.Elapsed + TimeSpan.FromSeconds(20); end != CallEnd.Answered;)
            {
                Assert.True(world.Time.Elapsed < limit);
                end = (await client.Grain<IStrictProbe>("1").TryAsync(p => p.Add())).End;
            }

            // A cluster of one silo has nobody who would suspect it.
            us[0].Suspect();
            await world.PassAsync(TimeSpan.FromSeconds(5));
            Assert.True(us[0].IsUp);
            Assert.False(eu[1].IsUp);
        });

    [Fact]
    public void A_client_that_loses_its_link_does_not_know_of_its_calls_and_finds_another_gateway() =>
        GeoSimulation.Explore(Seeds, async world =>
        {
            var (eu, _) = await StartAsync(world);
            var client = eu.Client();
            await client.Grain<IProbe>("1").Add();
            var point = world.At("adding");
            point.Suspend();
            var calling = client.Grain<IProbe>("1").TryAsync(p => p.Add());
            await point.ReachedAsync();

            client.BreakLink();
            Assert.Equal(CallEnd.Unknown, (await calling).End);

            // It was under way, and ends without its caller.
            point.Release();
            Assert.Equal(3, await client.Grain<IProbe>("1").Add());
        });

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_silo_crashes_when_it_would_send_one_more_than_it_may_unless_that_is_taken_back(int points) =>
        GeoSimulation.Explore(Seeds, async world =>
        {
            var (eu, _) = await StartAsync(world);
            eu[0].CrashAfter(points);
            eu[0].CrashAfter(null);
            await eu.Client().Grain<IProbe>("1").Add();
            Assert.True(eu[0].IsUp);

            // A row that is read and written, a round that asks the other cluster, and the row again: more than three together.
            eu[0].CrashAfter(points);
            Assert.NotEqual(CallEnd.Answered, (await eu.Client().Grain<IProbe>("2").TryAsync(p => p.Add())).End);
            Assert.False(eu[0].IsUp);
        });

    private static async Task<TimeSpan> TakesAsync(SimulationWorld world, Func<Task> call)
    {
        var began = world.Time.Elapsed;
        await call();
        return world.Time.Elapsed - began;
    }

    private static async Task<(SimulatedCluster Eu, SimulatedCluster Us)> StartAsync(SimulationWorld world, int silos = 1)
    {
        var (eu, us) = (world.AddCluster("eu", Configure, silos, keepsRows: true), world.AddCluster("us", Configure));
        await world.StartAsync();
        return (eu, us);
    }

    private static void Configure(IHostApplicationBuilder host)
    {
        host.Services.AddOptions();
        host.UseGeoEmbedded(geo => geo.AddGrain<Probe>().AddGrain<StrictProbe>());
    }

    public interface IProbe : IGrainWithStringKey
    {
        Task<int> Add();

        /// <summary>The wall clock, and the time that has passed since the beginning.</summary>
        Task<(DateTimeOffset Wall, TimeSpan Passed)> Now();
    }

    public interface IStrictProbe : IGrainWithStringKey
    {
        Task<int> Add();
    }

    [GlobalSingleInstance]
    public sealed class Probe(TimeProvider time) : Grain, IProbe
    {
        private static readonly long Start = new VirtualTime().GetTimestamp();

        private int _count;

        public async Task<int> Add()
        {
            _count++;
            await SimulationPoint.ReachedAsync("adding");
            return _count;
        }

        public Task<(DateTimeOffset Wall, TimeSpan Passed)> Now() =>
            Task.FromResult((time.GetUtcNow(), time.GetElapsedTime(Start)));
    }

    [GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
    public sealed class StrictProbe : Grain, IStrictProbe
    {
        private int _count;

        public Task<int> Add() => Task.FromResult(++_count);
    }
}
