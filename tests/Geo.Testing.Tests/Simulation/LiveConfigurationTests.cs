using Geo.Directory;
using Geo.Embedded;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing.Tests;

/// <summary>Regions that come and go while real silos serve calls.</summary>
public sealed class LiveConfigurationTests
{
    private const string Store = "configuration";

    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(3);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_region_is_added_and_another_drained_and_removed_under_load_and_no_call_fails(int silos) =>
        GeoSimulation.Explore(10, async world =>
        {
            var (asia, eu, us) = await StartAsync(world, silos);
            var ended = false;
            var (answered, refused) = (new int[3], new int[3]);
            var calling = Task.WhenAll(world.Clusters.Select(async (cluster, number) =>
            {
                var client = cluster.Client();
                for (var i = 0; !ended; i++)
                {
                    var before = await DescribeAsync(us);
                    var call = await client.Grain<ITally>($"{i % 7}").TryAsync(t => t.Add());
                    if (call.End == CallEnd.Answered)
                    {
                        answered[number]++;
                    }
                    else
                    {
                        // Only callers outside are refused: before all clusters have processed that theirs joins, and once it has gone.
                        // And it is certain that the call has not run.
                        Assert.True(
                            IsOutside(before, cluster) || StageOf(await DescribeAsync(us), cluster) == "outside",
                            $"{cluster}, {before}: {call.End} {call.Exception}");
                        Assert.IsType<GeoUnavailableException>(call.Exception);
                        refused[number]++;
                    }

                    await world.PassAsync(TimeSpan.FromMilliseconds(50));
                }
            }));

            await ChangeAsync(world, us, c => c.AddAsync(asia.Id, []));
            await UntilAsync(world, us, view => StageOf(view, asia) == "member" && view.Waiting is null);
            await world.PassAsync(TimeSpan.FromSeconds(2));
            await ChangeAsync(world, us, c => c.RemoveAsync(eu.Id));
            await UntilAsync(world, asia, view => StageOf(view, eu) == "outside");
            await world.PassAsync(TimeSpan.FromSeconds(2));
            ended = true;
            await calling;
            Assert.All(answered, count => Assert.NotEqual(0, count));
            Assert.Equal(0, refused[2]);
        });

    /// <summary>Whatever fails meanwhile, a grain has one owner, and all is in order when it has healed.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Regions_come_and_go_through_crashes_cuts_and_failing_stores(int silos) => GeoSimulation.Explore(10, async world =>
    {
        var (asia, eu, us) = await StartAsync(world, silos);
        var choices = world.Choices.Tape("changes");
        var time = TimeSpan.FromSeconds(40);
        var calling = world.CallAsync(1, time, async (client, tape) =>
        {
            var key = $"{tape.Next(4)}";
            _ = tape.Next(2) == 0
                ? await client.Grain<ITally>(key).TryAsync(t => t.Add())
                : await client.Grain<IStrictTally>(key).TryAsync(t => t.Add());
        });
        var failing = world.RandomFaultsAsync(
            SimulatedFaults.Crashes | SimulatedFaults.Cuts | SimulatedFaults.Pauses | SimulatedFaults.Stores | SimulatedFaults.Loss, time);
        for (var until = world.Time.Elapsed + time; world.Time.Elapsed < until;)
        {
            var (asked, cluster) = (world.Clusters[choices.Next(3)], world.Clusters[choices.Next(3)]);
            var adds = choices.Next(2) == 0;
            await ConfigurationChanges.TryAsync(
                asked, async c => _ = adds ? await c.AddAsync(cluster.Id, []) : await c.RemoveAsync(cluster.Id));
            await world.PassAsync(choices.Between(TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(4)));
        }

        await calling;
        await failing;
        await world.HealAsync();
        await UntilAsync(world, us, view => view.Waiting is null);
        foreach (var cluster in world.Clusters)
        {
            await EnsureMemberAsync(world, cluster);
        }

        foreach (var cluster in world.Clusters)
        {
            Assert.True((await cluster.Client().Grain<IStrictTally>("1").TryAsync(t => t.Add())).End == CallEnd.Answered);
        }
    });

    [Fact]
    public void Volatile_and_coordination_free_classes_do_not_start_beside_a_configuration_store() => GeoSimulation.Explore(
        1, async world =>
    {
        world.AddCluster("eu", host => host.UseGeoEmbedded(geo => geo
            .AddStore(Store, _ => new InMemoryConditionalStore())
            .Configure(o => o.ConfigurationStore = Store)
            .AddGrain<Everywhere>()));
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(world.StartAsync);
        Assert.Contains("ConfigurationStore", refused.Message, StringComparison.Ordinal);
    });

    private static async Task<(SimulatedCluster Asia, SimulatedCluster Eu, SimulatedCluster Us)> StartAsync(
        SimulationWorld world, int silos)
    {
        var (asia, eu, us) = (Add("asia"), Add("eu"), Add("us"));
        foreach (var silo in world.Clusters.SelectMany(c => c.Silos))
        {
            silo.Configuration = [eu.Id, us.Id];
        }

        await us[0].StartAsync();
        await world.StartAsync();
        return (asia, eu, us);

        SimulatedCluster Add(string name) => world.AddCluster(name, Configure, silos, keepsRows: true);
    }

    private static string StageOf(ConfigurationView view, SimulatedCluster cluster) =>
        view.Clusters.FirstOrDefault(c => c.Cluster == cluster.Id)?.Stage ?? "outside";

    private static async Task EnsureMemberAsync(SimulationWorld world, SimulatedCluster cluster)
    {
        var view = await DescribeAsync(cluster);
        if (StageOf(view, cluster) == "outside")
        {
            await ChangeAsync(world, cluster, c => c.AddAsync(cluster.Id, []));
        }

        await UntilAsync(world, cluster, now => StageOf(now, cluster) == "member" && now.Waiting is null);
    }

    private static async Task ChangeAsync(
        SimulationWorld world, SimulatedCluster asked, Func<IGeoConfiguration, ValueTask<ConfigurationChange>> change)
    {
        ConfigurationChange? made = null;
        for (var tries = 0; made is not { IsMade: true } && tries < 300; tries++)
        {
            await ConfigurationChanges.TryAsync(asked, async c => made = await change(c));
            await world.PassAsync(TimeSpan.FromMilliseconds(300));
        }

        Assert.True(made is { IsMade: true }, made?.Message);
    }

    private static async Task UntilAsync(SimulationWorld world, SimulatedCluster asked, Func<ConfigurationView, bool> condition)
    {
        ConfigurationView view;
        var limit = world.Time.Elapsed + Limit;
        while (!condition(view = await DescribeAsync(asked)))
        {
            Assert.True(
                world.Time.Elapsed < limit,
                $"{view} {string.Join("; ", view.Clusters.Select(c => $"{c.Cluster} {c.Stage} {c.Processed}"))}");
            await world.PassAsync(TimeSpan.FromMilliseconds(100));
        }
    }

    private static bool IsOutside(ConfigurationView view, SimulatedCluster cluster) =>
        view.Clusters.FirstOrDefault(c => c.Cluster == cluster.Id) is not { } seen || seen.Stage == "outside"
        || (seen.Stage == "joining" && view.Clusters.Any(c => c.Stage != "outside" && (c.Processed ?? 0) < view.Version));

    private static async Task<ConfigurationView> DescribeAsync(SimulatedCluster asked) =>
        (await ConfigurationChanges.DescribeAsync(asked))!;

    private static void Configure(IHostApplicationBuilder host) => host.UseGeoEmbedded(geo => geo
        .AddStore(Store, _ => new InMemoryConditionalStore())
        .Configure(options => options.ConfigurationStore = Store)
        .AddGrain<Tally>()
        .AddGrain<StrictTally>());

    public interface ITally : IGrainWithStringKey
    {
        Task<int> Add();
    }

    public interface IStrictTally : IGrainWithStringKey
    {
        Task<int> Add();
    }

    public interface IEverywhere : IGrainWithStringKey
    {
        Task<int> Add();
    }

    [GlobalSingleInstance]
    public sealed class Tally : Grain, ITally
    {
        private int _count;

        public Task<int> Add() => Task.FromResult(++_count);
    }

    [GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
    public sealed class StrictTally : Grain, IStrictTally
    {
        private int _count;

        public Task<int> Add() => Task.FromResult(++_count);
    }

    public sealed class Count
    {
        public int Sum { get; set; }

        public void Apply(Counted counted) => Sum += counted.Amount;
    }

    public sealed record Counted(int Amount);

    [OneInstancePerCluster]
    public sealed class Everywhere : JournaledGrain<Count, Counted>, IEverywhere
    {
        public Task<int> Add() => Task.FromResult(TentativeState.Sum);
    }
}
