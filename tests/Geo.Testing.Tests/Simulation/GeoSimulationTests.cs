using System.Globalization;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing.Tests;

public class GeoSimulationTests(ITestOutputHelper output)
{
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    [Fact]
    public void A_hundred_days_pass() => GeoSimulation.Explore(seeds: 1, async world =>
    {
        await world.PassAsync(TimeSpan.FromDays(100));
        Assert.Equal(TimeSpan.FromDays(100), world.Time.Elapsed);
    });

    [Fact]
    public void A_failing_seed_is_made_short_and_told_with_the_lines_that_replay_it()
    {
        var failed = Assert.Throws<SimulationException>(() => GeoSimulation.Explore(200, async world =>
        {
            var (eu, us) = await TwoAsync(world);
            var count = 0;
            var calling = world.CallAsync(1, Minute, async (client, choices) =>
            {
                // Wrong on purpose: what was not answered is taken for not executed.
                var attempt = await client.Grain<ICounter>("1").TryAsync(c => c.Add(choices.Next(1, 9)));
                count += attempt.Least;
            });
            world.Link(us, eu).Loss = 0.3;
            await calling;
            await world.HealAsync();
            Assert.Equal(count, await eu.Client().Grain<ICounter>("1").Calls());
        }));

        output.WriteLine(failed.Message);
        Assert.IsType<Xunit.Sdk.EqualException>(failed.InnerException, exactMatch: false);
        var lines = failed.Message.Split(Environment.NewLine);
        Assert.Contains("Replay with GEO_SEED=", lines[0], StringComparison.Ordinal);
        Assert.Contains("Replay with GEO_REPLAY=", lines[1], StringComparison.Ordinal);
        Assert.InRange(lines.Length, 3, 200);

        var words = lines[1].Split(' ');
        int Number(string after) => int.Parse(words[Array.IndexOf(words, after) + 1].TrimEnd(':'), CultureInfo.InvariantCulture);
        Assert.True(Number("from") > 10 * Number("to"), lines[1]);
        File.Delete(lines[1].Split("GEO_REPLAY=")[1].Split(' ')[0]);
    }

    [Fact]
    public void A_scenario_that_takes_chance_from_the_process_is_found_out()
    {
        var failed = Assert.Throws<SimulationException>(() => GeoSimulation.Explore(50, async world =>
        {
            await TwoAsync(world);
            await world.PassAsync(TimeSpan.FromMilliseconds(1 + (Guid.NewGuid().GetHashCode() & 0xFFFF)));
        }));
        Assert.Contains("not deterministic", failed.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_grain_that_leaves_its_thread_fails_the_run()
    {
        var failed = Assert.Throws<SimulationException>(() => GeoSimulation.Explore(1, async world =>
        {
            var (eu, _) = await TwoAsync(world);
            await eu.Client().Grain<ICounter>("1").Escape();
        }));
        Assert.Contains("thread", failed.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_held_between_clusters_arrives_when_it_is_released_unless_the_way_is_cut() =>
        GeoSimulation.Explore(10, async world =>
        {
            var (eu, us) = await TwoAsync(world);
            await eu.Client().Grain<ICounter>("1").Add(1);
            world.Hold(us, eu);
            var calling = us.Client().Grain<ICounter>("1").TryAsync(c => c.Add(2));
            await world.PassAsync(TimeSpan.FromMilliseconds(500));
            Assert.False(calling.IsCompleted);
            world.Release(us, eu);
            Assert.Equal(CallEnd.Answered, (await calling).End);

            world.Hold(us, eu);
            calling = us.Client().Grain<ICounter>("1").TryAsync(c => c.Add(4));
            await world.PassAsync(TimeSpan.FromMilliseconds(500));
            world.PartitionOneWay(us, eu);
            world.Release(us, eu);
            Assert.NotEqual(CallEnd.Answered, (await calling).End);
            await world.HealAsync();
            Assert.InRange(await us.Client().Grain<ICounter>("1").Calls(), 2, 3);
        });

    [Fact]
    public void A_point_in_a_grain_can_be_awaited_held_up_and_crashed_at() => GeoSimulation.Explore(10, async world =>
    {
        var (eu, us) = await TwoAsync(world);
        await eu.Client().Grain<ICounter>("1").Add(1);
        var point = world.At("added");
        point.Suspend();
        var reached = point.ReachedAsync();
        var calling = us.Client().Grain<ICounter>("1").TryAsync(c => c.Add(2));
        Assert.Same(eu[0], await reached);
        await world.PassAsync(TimeSpan.FromSeconds(1));
        Assert.False(calling.IsCompleted);
        point.Release();
        Assert.Equal(CallEnd.Answered, (await calling).End);

        point.CrashNext();
        Assert.Equal(CallEnd.Unknown, (await us.Client().Grain<ICounter>("1").TryAsync(c => c.Add(4))).End);
        Assert.False(eu[0].IsUp);
        Assert.Equal(2, point.Count);
    });

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Random_faults_of_every_kind_leave_each_confirmed_update_there_once(int silos) => GeoSimulation.Explore(10, async world =>
    {
        var (eu, us) =
            (world.AddCluster("eu", Configure, silos, keepsRows: true), world.AddCluster("us", Configure, silos, keepsRows: true));
        await world.StartAsync();
        var (least, most) = (0, 0);
        var calling = world.CallAsync(2, Minute / 2, async (client, _) =>
        {
            var added = await client.Grain<ICounter>("1").TryAsync(c => c.Add(1));
            (least, most) = (least + added.Least, most + added.Most);
        });
        await world.RandomFaultsAsync(SimulatedFaults.All, Minute / 2);
        await calling;
        await world.HealAsync();
        Assert.InRange(await eu.Client().Grain<ICounter>("1").Calls(), least, most);
        Assert.InRange(await us.Client().Grain<ICounter>("1").Calls(), least, most);
    });

    [Fact]
    public void Faults_of_chosen_kinds_are_of_no_other_kind() => GeoSimulation.Explore(10, async world =>
    {
        var (eu, us) = await TwoAsync(world);
        await world.RandomFaultsAsync(SimulatedFaults.Cuts | SimulatedFaults.Clocks, Minute);
        Assert.Equal((0L, 0L, 0L), (world.Counts.Crashes, world.Counts.Stops, world.Counts.Freezes));
        Assert.True(world.Network.Counts.Cuts > 0 && world.Counts.Faults["wall clocks that jump"] > 0, world.Counts.ToString());
        Assert.True(eu[0].IsUp && us[0].IsUp);
    });

    [Fact]
    public void A_store_that_goes_back_while_nobody_runs_loses_what_was_written_since_and_nothing_later() =>
        GeoSimulation.Explore(10, async world =>
        {
            var (eu, us) = await TwoAsync(world);
            await us.Client().Grain<ICounter>("1").Add(1);
            var backup = await world.Store("Default").BackUpAsync();
            await eu.Client().Grain<ICounter>("1").Add(1);
            var calling = eu.Client().Grain<ICounter>("1").TryAsync(c => c.Add(1));
            eu.Crash();
            us.Crash();
            await world.Store("Default").RestoreAsync(backup);
            await world.StartAsync();

            // The one under way may not have begun before.
            var during = await calling;
            var after = await us.Client().Grain<ICounter>("1").TryAsync(c => c.Add(1));
            await world.HealAsync();
            Assert.InRange(await eu.Client().Grain<ICounter>("1").Calls(), 1 + during.Least + after.Least, 1 + during.Most + after.Most);
            Assert.InRange(await us.Client().Grain<ICounter>("1").Calls(), 1 + during.Least + after.Least, 1 + during.Most + after.Most);
        });

    [Fact]
    public void The_rows_of_a_cluster_go_back_only_while_none_of_its_silos_runs()
    {
        var failed = Assert.Throws<SimulationException>(() => GeoSimulation.Explore(1, async world =>
        {
            var eu = world.AddCluster("eu", Configure, keepsRows: true);
            await world.StartAsync();
            await eu.RestoreRowsAsync(await eu.BackUpRowsAsync());
        }));
        Assert.IsType<InvalidOperationException>(failed.InnerException);
    }

    [Fact]
    public void A_call_that_never_ends_and_a_condition_that_never_holds_fail_the_run()
    {
        var never = Assert.Throws<SimulationException>(
            () => GeoSimulation.Explore(1, world => world.UntilAsync(() => world.Failure is not null, Minute)));
        Assert.Contains("world.Failure is not null", never.Message, StringComparison.Ordinal);
        var endless = Assert.Throws<SimulationException>(() => GeoSimulation.Explore(
            1, _ => new TaskCompletionSource().Task, new() { Shrink = new() { MaxRuns = 0 } }));
        Assert.Contains("nothing is ready", endless.Message, StringComparison.Ordinal);
    }

    private static async Task<(SimulatedCluster Eu, SimulatedCluster Us)> TwoAsync(SimulationWorld world)
    {
        var (eu, us) = (world.AddCluster("eu", Configure), world.AddCluster("us", Configure));
        await world.StartAsync();
        return (eu, us);
    }

    private static void Configure(IHostApplicationBuilder host)
    {
        host.Services.AddOptions();
        host.UseGeoEmbedded(geo => geo.AddGrain<Counter>());
    }

    public interface ICounter : IGrainWithStringKey
    {
        Task Add(int amount);

        Task<int> Calls();

        Task Escape();
    }

    [GlobalSingleInstance, BatchedCas]
    public sealed class Counter : JournaledGrain<CounterState, Added>, ICounter
    {
        public async Task Add(int amount)
        {
            RaiseEvent(new Added(amount));
            await ConfirmEvents();
            await SimulationPoint.ReachedAsync("added");
        }

        public async Task<int> Calls()
        {
            await RefreshNow();
            return State.Calls;
        }

        public async Task Escape() => await Task.Run(() => { });
    }

    public sealed class CounterState
    {
        public int Calls { get; set; }

        public int Sum { get; set; }

        public void Apply(Added added)
        {
            ArgumentNullException.ThrowIfNull(added);
            (Calls, Sum) = (Calls + 1, Sum + added.Amount);
        }
    }

    public sealed record Added(int Amount);
}
