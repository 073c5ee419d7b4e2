using System.Globalization;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing.Tests;

/// <summary>A silo that alone loses the store of its cluster's rows, or stands still: its siblings take its grains over.</summary>
public class LostStoreTests(ITestOutputHelper output)
{
    /// <summary>docs/operations.md: a silo is fenced off when 1.6 times its lease have passed; with 6 s, and a call to notice it.</summary>
    private static readonly TimeSpan TakenOver = TimeSpan.FromSeconds(6 * 1.65);

    [Theory]
    [InlineData(2, false)]
    [InlineData(2, true)]
    [InlineData(3, false)]
    [InlineData(3, true)]
    public void The_grains_of_a_silo_that_alone_loses_the_row_store_answer_on_a_sibling_in_time(int silos, bool hangs) =>
        GeoSimulation.Explore(10, async world =>
        {
            var (eu, us) = await StartAsync(world, silos);
            var (lost, rows) = (eu[silos - 1], eu.RemoteRows!);
            await lost.RunAsync(() => lost.Grains.GetGrain<ITally>("1").Add());
            await lost.RunAsync(() => lost.Grains.GetGrain<IStrictTally>("1").Add());
            await world.PassAsync(world.Choices.Tape("phase").Between(TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(15)));
            rows.CutOff(lost, hangs);
            var cutAt = world.Time.Elapsed;

            await Task.WhenAll(
                UntilElsewhereAsync(g => g.GetGrain<ITally>("1").Where()), UntilElsewhereAsync(g => g.GetGrain<IStrictTally>("1").Where()));

            Assert.InRange(world.Time.Elapsed - cutAt, TimeSpan.FromSeconds(4), TakenOver);

            // From another cluster, too, once no call is on its way to the silo that ends.
            var (abroad, found) = (us.Client().Grain<ITally>("1"), "");
            for (var tries = 0; found == ""; tries++)
            {
                Assert.True(tries < 3);
                await abroad.TryAsync(async t => found = await t.Where());
            }

            Assert.NotEqual(lost.Name, found);

            // It was told, has ended, and comes back when it reaches the store again.
            await world.PassAsync(TimeSpan.FromSeconds(10));
            Assert.False(lost.IsUp);
            rows.Mend(lost);
            await world.UntilAsync(() => lost.IsUp, TimeSpan.FromSeconds(15));
            await world.HealAsync();
            await lost.RunAsync(() => lost.Grains.GetGrain<ITally>("1").Add());
            return;

            // A call that is on its way to the silo when it is fenced off may have to wait for its end; the next one need not.
            async Task UntilElsewhereAsync(Func<IGrainFactory, Task<string>> where)
            {
                var at = lost.Name;
                for (var limit = cutAt + (2 * TakenOver); at == lost.Name && world.Time.Elapsed < limit;)
                {
                    _ = eu[0].RunAsync(async () =>
                    {
                        try
                        {
                            at = await where(eu[0].Grains) is var now && now != lost.Name ? now : at;
                        }
                        catch (GeoException)
                        {
                            // Refused, or of unknown outcome.
                        }
                    });
                    await world.PassAsync(TimeSpan.FromMilliseconds(50));
                }
            }
        }, new() { Shrink = new() { MaxRuns = 20 } });

    [Fact]
    public void Without_the_watch_they_do_not() => MissedWithout(ProtocolRule.LeasesAreWatched);

    [Fact]
    public void Without_the_wait_they_answer_while_the_silo_may_serve() => MissedWithout(ProtocolRule.SilenceIsAwaited);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void An_outage_of_the_store_for_all_ends_no_silo_and_no_instance(int silos) => GeoSimulation.Explore(10, async world =>
    {
        var (eu, _) = await StartAsync(world, silos, keepsRows: true);
        await eu.Client().Grain<IStrictTally>("1").Add();
        var choices = world.Choices.Tape("outages");
        for (var i = 0; i < 5; i++)
        {
            eu.RemoteRows!.Options.Unreachable = true;
            await world.PassAsync(choices.Between(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30)));
            eu.RemoteRows.Options.Unreachable = false;
            await world.PassAsync(choices.Between(TimeSpan.FromSeconds(3), TimeSpan.FromSeconds(12)));
        }

        Assert.Equal(2, await eu.Client().Grain<IStrictTally>("1").Add());
        Assert.False(world.Counts.Faults.ContainsKey("silos that stopped themselves"));
    });

    /// <summary>Short leases, so that a silo is fenced off by its sibling before anybody calls it dead.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_silo_that_stood_still_until_it_was_fenced_off_serves_nothing_when_it_goes_on(bool stopClock)
    {
        var (livedOn, fenced) = (0, 0);
        GeoSimulation.Explore(20, async world =>
        {
            var (eu, _) = await StartAsync(world, silos: 2, lease: TimeSpan.FromMilliseconds(500));
            var frozen = eu[1];
            await frozen.RunAsync(() => frozen.Grains.GetGrain<IStrictTally>("1").Add());
            var life = frozen.Services;

            // Its sibling must have seen it renew.
            await world.PassAsync(TimeSpan.FromSeconds(2));
            frozen.Freeze(stopClock);
            await world.PassAsync(world.Choices.Tape("pause").Between(TimeSpan.FromMilliseconds(300), TimeSpan.FromMilliseconds(1200)));
            frozen.Thaw();

            // What it had it serves on, or never again; the world watches that nobody else does meanwhile.
            var sums = new List<int>();
            for (var i = 0; i < 20; i++)
            {
                await eu[0].RunAsync(() => eu[0].Grains.GetGrain<IStrictTally>("1").TryAsync(async t => sums.Add(await t.Add())));
            }

            await world.HealAsync();
            Assert.True(sums.Zip(sums.Skip(1)).All(pair => pair.Second > pair.First || pair.Second == 1), string.Join(' ', sums));
            (livedOn, fenced) = frozen.Services == life ? (livedOn + 1, fenced) : (livedOn, fenced + 1);
        });

        output.WriteLine($"{livedOn} lived on, {fenced} were fenced off.");
        Assert.True(livedOn > 0 && fenced > 0);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void Stores_that_come_and_go_for_one_silo_after_the_other_lose_no_confirmed_update(int silos) =>
        GeoSimulation.Explore(10, async world =>
        {
            var (eu, us) = await StartAsync(world, silos);
            var choices = world.Choices.Tape("trouble");
            var (least, most) = (0, 0);
            var calling = world.CallAsync(2, TimeSpan.FromSeconds(90), async (client, call) =>
            {
                var kept = client.Grain<IKept>("1");
                var added = await kept.TryAsync(k => k.Add());
                (least, most) = (least + added.Least, most + added.Most);
                await client.Grain<IStrictTally>(call.Next(3).ToString(CultureInfo.InvariantCulture)).TryAsync(t => t.Add());
            });
            for (var i = 0; i < 8; i++)
            {
                var silo = eu[i % silos];
                eu.RemoteRows!.CutOff(silo, hangs: choices.Next(2) == 1);
                await world.PassAsync(choices.Between(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(14)));
                eu.RemoteRows.Mend(silo);
                await world.PassAsync(choices.Between(TimeSpan.Zero, TimeSpan.FromSeconds(4)));
            }

            await calling;
            await world.HealAsync();
            Assert.All(eu.Silos, silo => Assert.True(silo.IsUp));
            Assert.InRange(await us.Client().Grain<IKept>("1").Count(), least, most);
        });

    [Fact]
    public void A_silo_that_restarts_while_it_is_watched_is_fenced_off_by_nobody() => GeoSimulation.Explore(10, async world =>
    {
        var (eu, _) = await StartAsync(world, silos: 3);
        var choices = world.Choices.Tape("restarts");
        for (var i = 0; i < 6; i++)
        {
            await eu[i % 3].StopAsync();
            await world.PassAsync(choices.Between(TimeSpan.Zero, TimeSpan.FromSeconds(6)));
            await eu[i % 3].StartAsync();
            await world.PassAsync(choices.Between(TimeSpan.Zero, TimeSpan.FromSeconds(6)));
        }

        Assert.False(world.Counts.Faults.ContainsKey("silos that stopped themselves"));
        await world.HealAsync();
    });

    private void MissedWithout(ProtocolRule rule)
    {
        SwitchedOff.Set([rule]);
        try
        {
            var missed = Assert.Throws<SimulationException>(
                () => The_grains_of_a_silo_that_alone_loses_the_row_store_answer_on_a_sibling_in_time(2, hangs: false));
            output.WriteLine(missed.Message.Split(Environment.NewLine)[0]);
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    private static async Task<(SimulatedCluster Eu, SimulatedCluster Us)> StartAsync(
        SimulationWorld world, int silos, TimeSpan? lease = null, bool keepsRows = false)
    {
        var (eu, us) = (world.AddCluster("eu", Configure, silos, keepsRows), world.AddCluster("us", Configure));
        eu.SiloOptions = eu.SiloOptions with { LeaseDuration = lease ?? eu.SiloOptions.LeaseDuration };
        await world.StartAsync();
        return (eu, us);
    }

    private static void Configure(IHostApplicationBuilder host)
    {
        host.Services.AddOptions();
        host.UseGeoEmbedded(geo => geo.AddGrain<Tally>().AddGrain<StrictTally>().AddGrain<Kept>());
    }

    private static string SiloOfStep() => SimulationLane.Running!.Process.Silo!.Name;

    public interface ITally : IGrainWithStringKey
    {
        Task<int> Add();

        /// <summary>The silo that has the instance.</summary>
        Task<string> Where();
    }

    public interface IStrictTally : IGrainWithStringKey
    {
        Task<int> Add();

        Task<string> Where();
    }

    public interface IKept : IGrainWithStringKey
    {
        Task Add();

        Task<int> Count();
    }

    [GlobalSingleInstance]
    public sealed class Tally : Grain, ITally
    {
        private int _count;

        public Task<int> Add() => Task.FromResult(++_count);

        public Task<string> Where() => Task.FromResult(SiloOfStep());
    }

    [GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
    public sealed class StrictTally : Grain, IStrictTally
    {
        private int _count;

        public Task<int> Add() => Task.FromResult(++_count);

        public Task<string> Where() => Task.FromResult(SiloOfStep());
    }

    [GlobalSingleInstance, BatchedCas]
    public sealed class Kept : JournaledGrain<KeptCount, KeptAdded>, IKept
    {
        public Task Add()
        {
            RaiseEvent(new KeptAdded(1));
            return ConfirmEvents();
        }

        public async Task<int> Count()
        {
            await RefreshNow();
            return State.Count;
        }
    }

    public sealed class KeptCount
    {
        public int Count { get; set; }

        public void Apply(KeptAdded added) => Count += added.Count;
    }

    public sealed record KeptAdded(int Count);
}
