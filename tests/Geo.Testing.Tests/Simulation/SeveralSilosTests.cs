using System.Globalization;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing.Tests;

/// <summary>Clusters of several silos in the simulation: leases, fences, take-over, relaying as they ship.</summary>
public class SeveralSilosTests(ITestOutputHelper output)
{
    // Messages and store operations of a silo until it has taken over, its renewals meanwhile among them, and some more.
    private const int MostSteps = 24;

    private static readonly int Seeds =
        int.Parse(Environment.GetEnvironmentVariable("GEO_SILO_SEEDS") ?? "20", CultureInfo.InvariantCulture);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_grain_has_one_instance_whichever_silo_of_whichever_cluster_is_called(int usSilos) =>
        GeoSimulation.Explore(20, async world =>
        {
            var (eu, us) = await StartAsync(world, usSilos);
            var sums = await Task.WhenAll(
                eu.Client().Grain<ITally>("1").Add(), eu.Client().Grain<ITally>("1").Add(), us.Client().Grain<ITally>("1").Add());
            Assert.Equal([1, 2, 3], sums.Order());
        });

    [Fact]
    public void A_method_may_have_more_time_than_a_timer_can_wait() => GeoSimulation.Explore(5, async world =>
    {
        // From client to gateway, from silo to silo, and from cluster to cluster.
        var (eu, us) = await StartAsync(world, 2);
        var sums = await Task.WhenAll(
            new[] { eu, eu, us, us }.SelectMany(c => Enumerable.Range(1, 3).Select(i => c.Client().Grain<ITally>($"{i}").AddAtLeisure())));
        Assert.Equal([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4], sums.Order());
    });

    [Fact]
    public void The_strict_grains_of_a_crashed_silo_go_on_in_its_cluster_though_no_other_cluster_can_be_asked() =>
        GeoSimulation.Explore(20, async world =>
        {
            var (eu, us) = await StartAsync(world, 1);
            await eu[1].RunAsync(() => eu[1].Grains.GetGrain<IStrictTally>("1").Add());
            world.Partition(eu, us);
            eu[1].Crash();

            var client = eu.Client();
            var since = world.Time.Elapsed;
            while ((await client.Grain<IStrictTally>("1").TryAsync(t => t.Add())).End != CallEnd.Answered)
            {
                Assert.InRange(world.Time.Elapsed - since, TimeSpan.Zero, TimeSpan.FromSeconds(30));
            }
        });

    /// <summary>
    /// A silo that takes over crashes instead of its next message or store operation: while it reads the row and the lease, fences, waits,
    /// replaces the row, or begins the instance. Whatever it leaves behind, the third silo takes over.
    /// </summary>
    [Fact]
    public void A_take_over_may_be_broken_off_at_each_of_its_steps()
    {
        var crashed = new SortedSet<int>();
        var ended = new SortedSet<int>();
        for (var steps = 0; steps <= MostSteps; steps++)
        {
            GeoSimulation.Explore(3, async world =>
            {
                var (eu, us) = await StartAsync(world, 1, euSilos: 3);
                await eu[1].RunAsync(() => eu[1].Grains.GetGrain<IStrictTally>("1").Add());
                world.Partition(eu, us);
                eu[1].Crash();
                await world.PassAsync(TimeSpan.FromSeconds(2));
                eu[0].CrashAfter(steps);
                var end = CallEnd.Failed;
                while (eu[0].IsUp && end != CallEnd.Answered)
                {
                    await eu[0].RunAsync(async () => end = (await eu[0].Grains.GetGrain<IStrictTally>("1").TryAsync(t => t.Add())).End);
                }

                (eu[0].IsUp ? ended : crashed).Add(steps);
                eu[0].CrashAfter(null);
                eu[0].Crash();
                var since = world.Time.Elapsed;
                for (end = CallEnd.Failed; end != CallEnd.Answered;)
                {
                    await eu[2].RunAsync(async () => end = (await eu[2].Grains.GetGrain<IStrictTally>("1").TryAsync(t => t.Add())).End);
                    Assert.InRange(world.Time.Elapsed - since, TimeSpan.Zero, TimeSpan.FromSeconds(60));
                }
            });
        }

        output.WriteLine($"crashed after {string.Join(' ', crashed)}; not within {string.Join(' ', ended)}");
        Assert.Equal(Enumerable.Range(0, crashed.Count), crashed);
        Assert.Contains(MostSteps, ended);
    }

    [Fact]
    public void A_cluster_that_was_killed_and_comes_back_ends_no_instance_of_the_others() => GeoSimulation.Explore(20, async world =>
    {
        var (eu, us) = await StartAsync(world, 1);
        await eu.Client().Grain<ITally>("1").Add();
        eu[0].Crash();
        eu[1].Crash();
        var since = 0;
        while (since == 0)
        {
            await us.Client().Grain<ITally>("1").TryAsync(async t => since = await t.Add());
        }

        await eu[0].StartAsync();
        await eu[1].StartAsync();
        await world.PassAsync(TimeSpan.FromSeconds(60));
        Assert.Equal(since + 1, await eu.Client().Grain<ITally>("1").Add());
    });

    [Fact]
    public void A_call_that_ends_after_its_silo_has_lost_its_lease_is_not_answered() => GeoSimulation.Explore(20, async world =>
    {
        var (eu, _) = await StartAsync(world, 1);
        var end = CallEnd.Answered;
        var calling = eu[1].RunAsync(async () => end = (await eu[1].Grains.GetGrain<ITally>("1").TryAsync(t => t.AddLater())).End);
        await world.PassAsync(TimeSpan.FromMilliseconds(500));
        eu[1].Freeze();
        while ((await eu.Client().Grain<ITally>("1").TryAsync(t => t.Add())).End != CallEnd.Answered)
        {
        }

        eu[1].Thaw();
        if (await calling)
        {
            Assert.NotEqual(CallEnd.Answered, end);
        }
    });

    [Fact]
    public void A_living_instance_in_doubt_outlives_the_dead_silo_that_owned_its_grain() => GeoSimulation.Explore(20, async world =>
    {
        var (eu, us) = await StartAsync(world, 1);
        await eu[1].RunAsync(() => eu[1].Grains.GetGrain<ITally>("1").Add());
        world.Partition(eu, us);
        await world.PassAsync(TimeSpan.FromSeconds(2));
        await us[0].RunAsync(() => us[0].Grains.GetGrain<ITally>("1").Add());
        eu[1].Crash();
        await world.PassAsync(TimeSpan.FromSeconds(15));
        world.Mend(eu, us);
        await world.PassAsync(TimeSpan.FromSeconds(15));
        Assert.Equal(2, await us.Client().Grain<ITally>("1").Add());
    });

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_living_instance_in_doubt_outlives_a_grain_that_a_cluster_was_given_and_has_not_begun(int usSilos) =>
        GeoSimulation.Explore(20, async world =>
        {
            var asia = world.AddCluster("asia", Configure);
            var (eu, us) = await StartAsync(world, usSilos);
            await eu.Client().Grain<ITally>("1").Add();
            var isGiven = false;
            await eu[0].RunAsync(async () => isGiven = await eu[0].Services.GetRequiredService<IGeoSilo>().Administration.MoveAsync(
                new GrainKey("tally", "1"), us.Id, "the test says so"));
            Assert.True(isGiven);
            world.Partition(asia, eu);
            world.Partition(asia, us);
            await world.PassAsync(TimeSpan.FromSeconds(2));
            Assert.Equal(1, await asia.Client().Grain<ITally>("1").Add());
            world.Mend(asia, eu);
            world.Mend(asia, us);
            await world.PassAsync(TimeSpan.FromSeconds(15));
            Assert.Equal(2, await us.Client().Grain<ITally>("1").Add());
        });

    [Theory]
    [InlineData("LivingIsPreferred+UnusedGivesWay", nameof(A_living_instance_in_doubt_outlives_the_dead_silo_that_owned_its_grain))]
    [InlineData(
        nameof(ProtocolRule.UnusedGivesWay),
        nameof(A_living_instance_in_doubt_outlives_a_grain_that_a_cluster_was_given_and_has_not_begun))]
    [InlineData(nameof(ProtocolRule.LeaseIsAskedAgain), nameof(A_call_that_ends_after_its_silo_has_lost_its_lease_is_not_answered))]
    [InlineData("UnheardIsUnfenced+UnusedGivesWay", nameof(A_cluster_that_was_killed_and_comes_back_ends_no_instance_of_the_others))]
    public void What_is_switched_off_is_missed(string rules, string scenario)
    {
        SwitchedOff.Set([.. rules.Split('+').Select(Enum.Parse<ProtocolRule>)]);
        try
        {
            var method = GetType().GetMethod(scenario)!;
            object[] given = [.. method.GetParameters().Select(_ => (object)1)];
            var broken = Assert.ThrowsAny<Exception>(() => method.Invoke(this, given));
            output.WriteLine(broken.InnerException!.Message);
            Assert.IsType<SimulationException>(broken.InnerException);
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    [Fact]
    public void What_a_cluster_owned_before_all_its_silos_died_is_asked_for_anew_though_they_start_together() =>
        GeoSimulation.Explore(20, async world =>
        {
            var (eu, _) = await StartAsync(world, 1);
            await eu.Client().Grain<IStrictTally>("1").Add();
            eu.Crash();
            await world.StartAsync();

            // The world watches that no row is taken over from an earlier life.
            await world.PassAsync(TimeSpan.FromSeconds(30));
            await eu.Client().Grain<IStrictTally>("1").Add();
        });

    [Fact]
    public void Silos_that_crash_and_return_and_cuts_between_clusters_leave_one_instance_of_each_grain() =>
        GeoSimulation.Explore(Seeds, async world =>
        {
            var (eu, us) = await StartAsync(world, 2);
            var choices = world.Choices.Tape("trouble");
            var calling = world.CallAsync(2, TimeSpan.FromSeconds(20), async (client, call) =>
            {
                var key = call.Next(3).ToString(CultureInfo.InvariantCulture);
                await (call.Next(2) == 0 ? client.Grain<ITally>(key).TryAsync(t => t.Add())
                    : client.Grain<IStrictTally>(key).TryAsync(t => t.Add()));
            });
            for (var i = 0; i < 6; i++)
            {
                await world.PassAsync(choices.Between(TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(4)));
                var silo = (choices.Next(2) == 0 ? eu : us)[choices.Next(2)];
                switch (choices.Next(4))
                {
                    case 0:
                        world.Partition(eu, us);
                        await world.PassAsync(choices.Between(TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(3)));
                        world.Mend(eu, us);
                        break;
                    case 1 when silo.IsUp:
                        await silo.StopAsync();
                        await silo.StartAsync();
                        break;
                    default:
                        silo.Crash();
                        await world.PassAsync(choices.Between(TimeSpan.FromMilliseconds(50), TimeSpan.FromSeconds(6)));
                        await silo.StartAsync();
                        break;
                }
            }

            await calling;
            await world.HealAsync();
        });

    private static async Task<(SimulatedCluster Eu, SimulatedCluster Us)> StartAsync(
        SimulationWorld world, int usSilos, int euSilos = 2)
    {
        var (eu, us) = (world.AddCluster("eu", Configure, euSilos), world.AddCluster("us", Configure, usSilos));
        await world.StartAsync();
        return (eu, us);
    }

    private static void Configure(IHostApplicationBuilder host)
    {
        host.Services.AddOptions();
        host.UseGeoEmbedded(geo => geo.AddGrain<Tally>().AddGrain<StrictTally>());
    }

    public interface ITally : IGrainWithStringKey
    {
        Task<int> Add();

        [ResponseTimeout("365.00:00:00")]
        Task<int> AddAtLeisure();

        [ResponseTimeout("01:00:00")]
        Task<int> AddLater();
    }

    public interface IStrictTally : IGrainWithStringKey
    {
        Task<int> Add();
    }

    [GlobalSingleInstance]
    public sealed class Tally(TimeProvider time) : Grain, ITally
    {
        private int _count;

        public Task<int> Add() => Task.FromResult(++_count);

        public Task<int> AddAtLeisure() => Add();

        public async Task<int> AddLater()
        {
            await Task.Delay(TimeSpan.FromSeconds(1), time);
            return ++_count;
        }
    }

    [GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
    public sealed class StrictTally : Grain, IStrictTally
    {
        private int _count;

        public Task<int> Add() => Task.FromResult(++_count);
    }
}
