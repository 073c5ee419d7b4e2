using Geo.Consistency;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing.Tests;

/// <summary>What docs/consistency.md says of read replicas: the bound holds, whatever fails.</summary>
public class ReadReplicaTests(ITestOutputHelper output)
{
    private const SimulatedFaults Faults =
        SimulatedFaults.Loss | SimulatedFaults.Cuts | SimulatedFaults.Stores | SimulatedFaults.Crashes | SimulatedFaults.Pauses;

    private static readonly TimeSpan Bound = TimeSpan.FromSeconds(2);

    [Theory]
    [InlineData(nameof(PessimisticTally))]
    [InlineData(nameof(OptimisticTally))]
    public void What_was_confirmed_before_the_bound_is_in_every_read(string grain)
    {
        var (read, local) = Explore(grain, 60);
        output.WriteLine($"{read} reads, {local} of them in the caller's cluster");
        Assert.True(local > read / 20 && local > 500, $"{local} of {read}");
    }

    [Theory]
    [InlineData(nameof(PessimisticTally), nameof(ReadCopyRule.Echo))]
    [InlineData(nameof(PessimisticTally), nameof(ReadCopyRule.BothClocks))]
    public void A_rule_that_is_switched_off_is_missed(string grain, string rule)
    {
        ReadCopyRules.SwitchOff(Enum.Parse<ReadCopyRule>(rule));
        try
        {
            Assert.Throws<SimulationException>(() => Explore(grain, 2_000, new() { Shrink = new() { MaxRuns = 1 } }));
        }
        finally
        {
            ReadCopyRules.SwitchOff(null);
        }
    }

    [Theory]
    [InlineData(null)]
    [InlineData(nameof(ReadCopyRule.Age))]
    public void What_a_duplicate_wrote_since_the_instance_has_read_its_store_makes_a_copy_older(string? off)
    {
        ReadCopyRules.SwitchOff(off is null ? null : Enum.Parse<ReadCopyRule>(off));
        try
        {
            GeoSimulation.Explore(20, async world =>
            {
                var (eu, us, asia) = (
                    world.AddCluster("eu", Configure), world.AddCluster("us", Configure), world.AddCluster("asia", Configure));
                await world.StartAsync();
                ITally Of(SimulatedCluster cluster) => Tally(cluster, nameof(OptimisticTally));
                await Of(eu).Add();
                await Of(asia).Add();
                world.Partition(eu, us);
                while ((await Of(us).TryAsync(us => us.Add())).End != CallEnd.Answered)
                {
                }

                var readAt = world.Time.Elapsed;
                await Of(eu).ReadLatest();
                var version = await Of(us).Add();
                var confirmedAt = world.Time.Elapsed;
                world.Store(GeoStorage.Default).From(eu.Id).CutOff(eu[0]);

                // The first read in asia goes to the instance in eu and has its replica fed: by what that instance knows, once.
                var fedAt = readAt + TimeSpan.FromSeconds(0.35);
                await world.PassAsync(fedAt - confirmedAt);
                await Of(asia).Read();
                await world.PassAsync(fedAt + TimeSpan.FromSeconds(1.9) - world.Time.Elapsed);
                var asked = world.Time.Elapsed;
                var seen = 0L;
                var read = await Of(asia).TryAsync(async asia => seen = (await asia.ReadBounded()).Version);
                Assert.True(asked - confirmedAt > Bound);
                Assert.Equal(off is not null, read.End == CallEnd.Answered && seen < version);
            });
        }
        finally
        {
            ReadCopyRules.SwitchOff(null);
        }
    }

    [Theory]
    [InlineData(nameof(PessimisticTally))]
    [InlineData(nameof(OptimisticTally))]
    [InlineData(nameof(VolatileTally))]
    public void A_cluster_without_the_instance_reads_in_no_time_and_without_its_link_until_the_bound(string grain) =>
        GeoSimulation.Explore(5, async world =>
        {
            var (eu, us) = (world.AddCluster("eu", Configure), world.AddCluster("us", Configure));
            await world.StartAsync();
            world.Link(eu, us).MinDelay = world.Link(eu, us).MaxDelay = TimeSpan.FromMilliseconds(100);
            world.Link(us, eu).MinDelay = world.Link(us, eu).MaxDelay = TimeSpan.FromMilliseconds(100);
            var (here, there) = (Tally(eu, grain), Tally(us, grain));
            var at = await here.Add();
            Assert.Equal(at, (await there.Read()).Version);
            await world.PassAsync(TimeSpan.FromSeconds(3));
            var before = world.Time.Elapsed;
            var read = await there.Read();
            Assert.Equal((at, "us"), (read.Version, read.Cluster.Name));
            Assert.InRange(world.Time.Elapsed - before, TimeSpan.Zero, TimeSpan.FromMilliseconds(50));

            // What asks for more goes to the instance.
            at = await here.Add();
            Assert.Equal(at, (await there.ReadLatest()).Version);
            world.Partition(eu, us);
            Assert.Equal(CallEnd.Answered, (await there.TryAsync(t => t.Read())).End);
            await world.PassAsync(TimeSpan.FromSeconds(3));
            if (grain == nameof(PessimisticTally))
            {
                Assert.NotEqual(CallEnd.Answered, (await there.TryAsync(t => t.Read())).End);
            }

            await world.HealAsync();
            await there.Read();
            await world.PassAsync(TimeSpan.FromSeconds(3));
            Assert.Equal("us", (await there.Read()).Cluster.Name);
        });

    [Fact]
    public void A_read_that_outlasts_the_bound_is_made_anew_on_the_instance() => GeoSimulation.Explore(5, async world =>
    {
        var (eu, us) = (world.AddCluster("eu", Configure), world.AddCluster("us", Configure));
        await world.StartAsync();
        var (here, there) = (Tally(eu, nameof(PessimisticTally)), Tally(us, nameof(PessimisticTally)));
        await here.Add();
        await there.Read();
        await world.PassAsync(TimeSpan.FromSeconds(3));
        var reading = there.ReadSlowly();
        await world.PassAsync(TimeSpan.FromSeconds(1));
        var at = await here.Add();
        Assert.Equal((at, "eu"), ((await reading).Version, (await reading).Cluster.Name));
    });

    [Theory]
    [InlineData(nameof(PessimisticTally))]
    [InlineData(nameof(OptimisticTally))]
    public void A_copy_follows_a_store_that_was_set_back_and_has_the_same_number_of_versions_again(string grain) =>
        GeoSimulation.Explore(5, async world =>
        {
            var (eu, us) = (world.AddCluster("eu", Configure), world.AddCluster("us", Configure));
            await world.StartAsync();
            var (here, there, store) = (Tally(eu, grain), Tally(us, grain), world.Store(GeoStorage.Default));
            await here.Add();
            var backup = await store.BackUpAsync();
            await here.Add();
            Assert.Equal((2, 2), ((await there.Read()).Version, (await there.Read()).Value));
            await world.PassAsync(TimeSpan.FromSeconds(3));
            Assert.Equal("us", (await there.Read()).Cluster.Name);

            eu.Crash();
            await store.RestoreAsync(backup);
            await world.StartAsync();
            Assert.Equal(2, await here.AddTen());
            await world.PassAsync(TimeSpan.FromSeconds(3));
            Assert.Equal(11, (await there.ReadBounded()).Value);
            await world.PassAsync(TimeSpan.FromSeconds(3));
            var read = await there.ReadBounded();
            Assert.Equal((11, "us"), (read.Value, read.Cluster.Name));
        });

    [Fact]
    public void A_session_reads_what_it_has_written_and_never_less() => GeoSimulation.Explore(20, async world =>
    {
        var (eu, us) = (world.AddCluster("eu", Configure), world.AddCluster("us", Configure));
        await world.StartAsync();
        await Tally(eu, nameof(OptimisticTally)).Add();
        var there = Tally(us, nameof(OptimisticTally));
        await there.Read();
        await world.PassAsync(TimeSpan.FromSeconds(3));
        var session = new GeoSession();
        for (var i = 0; i < 20; i++)
        {
            SessionContext.Token = SessionToken.None;
            var written = await there.Add();
            var sent = session.Token;
            SessionContext.Token = sent;
            var read = await there.ReadLatest();
            session.Take(sent, read.Session);
            sent = SessionContext.Token = session.Token;
            read = await there.Read();
            session.Take(sent, read.Session);
            Assert.True(read.Version >= written);
        }

        SessionContext.Token = SessionToken.None;
    });

    private static (int Read, int Local) Explore(string grain, int seeds, GeoSimulationOptions? options = null)
    {
        var (read, local) = (0, 0);
        GeoSimulation.Explore(seeds, async world =>
        {
            foreach (var name in (string[])["eu", "us", "asia"])
            {
                world.AddCluster(name, Configure);
            }

            await world.StartAsync();
            var confirmed = new List<(TimeSpan At, long Version)>();
            var calling = world.CallAsync(2, TimeSpan.FromSeconds(35), async (client, choices) =>
            {
                var tally = client.Grains.GetGrain<ITally>("1", $"Geo.Testing.Tests.ReadReplicaTests+{grain}");
                if (choices.Next(4) == 0)
                {
                    var version = 0L;
                    await tally.TryAsync(async t => version = await t.Add());
                    confirmed.Add((world.Time.Elapsed, version));
                    return;
                }

                var asked = world.Time.Elapsed;
                Versioned<long>? seen = null;
                await tally.TryAsync(async t => seen = await t.ReadBounded());
                if (seen is null)
                {
                    return;
                }

                read++;
                local += client.Name.StartsWith(seen.Cluster.Name, StringComparison.Ordinal) ? 1 : 0;
                var least = confirmed.Where(c => c.At <= asked - Bound).Select(c => c.Version).DefaultIfEmpty().Max();
                Assert.True(seen.Version >= least, $"version {seen.Version} of {least}, {Bound} after it was confirmed");
            });
            await world.RandomFaultsAsync(Faults, TimeSpan.FromSeconds(35));
            await calling;
            await world.HealAsync();
        }, options);
        return (read, local);
    }

    private static ITally Tally(SimulatedCluster cluster, string grain) =>
        cluster.Client().Grains.GetGrain<ITally>("1", $"Geo.Testing.Tests.ReadReplicaTests+{grain}");

    private static void Configure(IHostApplicationBuilder host)
    {
        host.Services.AddOptions();
        host.UseGeoEmbedded(geo => geo.AddGrain<PessimisticTally>().AddGrain<OptimisticTally>().AddGrain<VolatileTally>());
    }

    public interface ITally : IGrainWithStringKey
    {
        Task<long> Add();

        Task<long> AddTen();

        [ReadOnly]
        Task<Versioned<long>> Read();

        [ReadOnly]
        Task<Versioned<long>> ReadBounded();

        [ReadOnly]
        Task<Versioned<long>> ReadLatest();

        [ReadOnly]
        Task<Versioned<long>> ReadSlowly();
    }

    public abstract class TallyGrain : JournaledGrain<TallyState, Added>, ITally
    {
        public Task<long> Add() => AddAsync(1);

        public Task<long> AddTen() => AddAsync(10);

        public Task<Versioned<long>> Read() => ReadVersion(s => s.Sum, ViewRead.Confirmed);

        // An instance that has just begun has not read its store yet; a read replica has no need of being asked.
        public Task<Versioned<long>> ReadBounded() => ReadVersion(s => s.Sum, ViewRead.NoOlderThan(Bound));

        public Task<Versioned<long>> ReadLatest() => ReadVersion(s => s.Sum, ViewRead.Linearizable);

        public async Task<Versioned<long>> ReadSlowly()
        {
            var read = await Read();
            await Task.Delay(TimeSpan.FromSeconds(4), ServiceProvider.GetRequiredService<TimeProvider>());
            return read;
        }

        private async Task<long> AddAsync(int by)
        {
            RaiseEvent(new Added(by));
            await ConfirmEvents();
            return Version;
        }
    }

    [GlobalSingleInstance(SingleInstanceMode.Pessimistic), BatchedCas, ReadReplica(MaxStaleness = "00:00:02")]
    public sealed class PessimisticTally : TallyGrain;

    [GlobalSingleInstance, BatchedCas, ReadReplica(MaxStaleness = "00:00:02")]
    public sealed class OptimisticTally : TallyGrain;

    [GlobalSingleInstance, ReadReplica(MaxStaleness = "00:00:02")]
    public sealed class VolatileTally : TallyGrain;

    public sealed class TallyState
    {
        public long Sum { get; set; }

        public void Apply(Added added) => Sum += added.By;
    }

    public sealed record Added(int By);
}
