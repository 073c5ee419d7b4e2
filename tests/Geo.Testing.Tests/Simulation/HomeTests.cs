using System.Diagnostics.Metrics;
using Geo.Directory;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Testing.Tests;

/// <summary>Grains whose classes say where they live, on silos that ship, in virtual time.</summary>
public sealed class HomeTests(ITestOutputHelper output)
{
    private static readonly GeoSimulationOptions Long = new() { MaxSteps = 20_000_000, Shrink = new() { MaxRuns = 1 } };

    private static readonly TimeSpan OneWay = TimeSpan.FromMilliseconds(40), Between = TimeSpan.FromMilliseconds(20);

    [Theory]
    [InlineData(nameof(Following))]
    [InlineData(nameof(StrictFollowing))]
    [InlineData(nameof(QuorumFollowing))]
    public void Three_seconds_after_callers_have_shifted_a_call_takes_at_most_0_15_trips_between_clusters(string grain) =>
        GeoSimulation.Explore(3, async world =>
        {
            var begun = new Begun();
            await StartAsync(world, begun, ["asia", "eu", "us"]);
            var (us, eu) = (world.Clusters[2], world.Clusters[1]);
            var load = new Load(world, grain, keys: 3);

            // The first call of each comes from us: it is no move.
            await load.RunAsync(Between, _ => us, locality: 1);
            await world.PassAsync(TimeSpan.FromSeconds(1));
            await load.RunAsync(TimeSpan.FromSeconds(5), _ => us, locality: 0.9);
            await load.RunAsync(TimeSpan.FromSeconds(3), _ => eu, locality: 0.9);
            var (sent, calls) = (world.Network.Counts.Sent, load.Calls);
            await load.RunAsync(TimeSpan.FromSeconds(10), _ => eu, locality: 0.9);
            var trips = (double)(world.Network.Counts.Sent - sent) / (load.Calls - calls);
            output.WriteLine($"{trips:0.000} trips a call, {load.Calls} calls");
            Assert.InRange(trips, 0.05, 0.15);

            // Each was begun by its first caller, and moved once; nobody was refused.
            await load.EndAsync();
            Assert.All(begun.At.GroupBy(b => b.Key), b => Assert.InRange(b.Count(), 2, 2));
            Assert.All(begun.At.GroupBy(b => b.Key), b => Assert.Equal("eu", b.Last().Cluster));
            var moves = await us[0].Services.GetRequiredService<ISiloAccess>().Moves.ReadAsync(null, 10, TimeSpan.FromSeconds(1), default);
            Assert.Contains(moves.Moves, m => m is { Kind: MoveKind.MovedAway, Why: "It follows its callers." });
        }, Long);

    [Theory]
    [InlineData(nameof(Following), 0)]
    [InlineData(nameof(Following), 7)]
    [InlineData(nameof(QuorumFollowing), 0)]
    [InlineData(nameof(QuorumFollowing), 7)]
    public void Called_from_two_clusters_alike_or_in_turns_a_grain_moves_at_most_once_a_minute(string grain, int secondsPerShift) =>
        GeoSimulation.Explore(1, async world =>
        {
            var begun = new Begun();
            await StartAsync(world, begun, ["eu", "us"]);
            var load = new Load(world, grain, keys: 1);
            await load.RunAsync(
                TimeSpan.FromMinutes(3),
                at => world.Clusters[secondsPerShift == 0 ? 0 : (int)(at.TotalSeconds / secondsPerShift) % 2],
                locality: secondsPerShift == 0 ? 0.5 : 1);
            await load.EndAsync();
            output.WriteLine($"{begun.At.Count - 1} moves, {load.Calls} calls");
            Assert.InRange(begun.At.Count, secondsPerShift == 0 ? 1 : 2, 5);

            // The first one is no move.
            var moves = begun.At.Skip(1).Select(b => b.At).ToList();
            Assert.All(moves.Zip(moves.Skip(1)), pair => Assert.True(pair.Second - pair.First >= TimeSpan.FromSeconds(59)));
        }, Long);

    [Theory]
    [InlineData(nameof(Following), 7)]
    [InlineData(nameof(QuorumFollowing), 7)]
    public void With_several_silos_a_grain_called_in_turns_moves_at_most_once_a_minute(string grain, int secondsPerShift) =>
        GeoSimulation.Explore(3, async world =>
        {
            var begun = new Begun();
            await StartAsync(world, begun, ["eu", "us"], silos: 3);
            var load = new Load(world, grain, keys: 4);
            await load.RunAsync(
                TimeSpan.FromMinutes(3), at => world.Clusters[(int)(at.TotalSeconds / secondsPerShift) % 2], locality: 1);
            await load.EndAsync();
            var gaps = new List<TimeSpan>();
            foreach (var one in begun.At.GroupBy(b => b.Key))
            {
                var moves = one.Zip(one.Skip(1)).Where(p => p.First.Cluster != p.Second.Cluster).Select(p => p.Second.At).ToList();
                gaps.AddRange(moves.Zip(moves.Skip(1)).Select(p => p.Second - p.First));
            }

            output.WriteLine($"{begun.At.Count} begun; gaps {string.Join(", ", gaps.Select(g => $"{g.TotalSeconds:0}"))}");
            Assert.All(gaps, gap => Assert.True(gap >= TimeSpan.FromSeconds(59), $"{gap}"));
        }, Long);

    [Theory]
    [InlineData(nameof(InEu))]
    [InlineData(nameof(StrictInEu))]
    [InlineData(nameof(QuorumInEu))]
    public void A_grain_returns_to_its_home_when_that_is_back(string grain) => GeoSimulation.Explore(3, async world =>
    {
        var begun = new Begun();
        await StartAsync(world, begun, ["asia", "eu", "us"]);
        var (us, eu) = (world.Clusters[2], world.Clusters[1]);
        var load = new Load(world, grain, keys: 2);

        // First called elsewhere, it goes home.
        await load.RunAsync(TimeSpan.FromSeconds(5), _ => us, locality: 1);
        await load.EndAsync();
        Assert.All(begun.At.GroupBy(b => b.Key), b => Assert.Equal("eu", b.Last().Cluster));
        begun.At.Clear();
        eu.Crash();
        world.Network.Isolate(eu.Id);
        await world.PassAsync(TimeSpan.FromSeconds(90));
        if (grain != nameof(StrictInEu))
        {
            // That the cluster is gone the first call may find out; how that ends is not known.
            for (var calls = 0; calls < 10 && !begun.At.Exists(b => b.Cluster == "us"); calls++)
            {
                await us.Client().Grains.GetGrain<IPlace>("0", ClassOf(grain)).TryAsync(p => p.Where());
                await world.PassAsync(TimeSpan.FromSeconds(1));
            }

            Assert.Contains(begun.At, b => b.Cluster == "us");
        }

        world.Network.Heal();
        await world.StartAsync();
        await world.PassAsync(TimeSpan.FromSeconds(10));
        await load.RunAsync(TimeSpan.FromSeconds(5), _ => us, locality: 1);
        await load.EndAsync();
        Assert.All(begun.At.GroupBy(b => b.Key), b => Assert.Equal("eu", b.Last().Cluster));
        var moves = await us[0].Services.GetRequiredService<ISiloAccess>().Moves.ReadAsync(null, 100, TimeSpan.FromSeconds(1), default);
        Assert.Contains(moves.Moves, m => m is { Kind: MoveKind.MovedAway, Why: "Its home is back." });
    }, Long);

    [Fact]
    public void A_grain_whose_callers_are_elsewhere_stays_without_a_home() => GeoSimulation.Explore(1, async world =>
    {
        var begun = new Begun();
        await StartAsync(world, begun, ["eu", "us"]);
        var load = new Load(world, nameof(Staying), keys: 1);
        await load.RunAsync(TimeSpan.FromSeconds(1), _ => world.Clusters[1], locality: 1);
        await load.RunAsync(TimeSpan.FromSeconds(20), _ => world.Clusters[0], locality: 1);
        await load.EndAsync();
        Assert.Equal(["us"], begun.At.Select(b => b.Cluster));
    }, Long);

    [Fact]
    public void A_home_that_is_no_cluster_of_the_settings_ends_the_start() => GeoSimulation.Explore(1, async world =>
    {
        world.AddCluster("us", host =>
        {
            host.Services.AddSingleton(new Begun());
            host.UseGeoEmbedded(geo => geo.AddGrain<InEu>());
        });
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => world.StartAsync());
        Assert.Contains("has [Home(\"eu\")], and no cluster of that name is configured (us)", refused.Message, StringComparison.Ordinal);
    });

    [Theory]
    [InlineData(false, false, 40)]
    [InlineData(false, true, 10)]
    [InlineData(true, false, 10)]
    [InlineData(true, true, 10)]
    public void Whatever_fails_a_grain_with_a_home_has_one_owner_and_every_call_an_answer(bool quorum, bool configuration, int seeds)
    {
        var moves = 0;
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, self) =>
            {
                if (instrument.Name == "geo.directory.home_moves")
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>(
            (_, value, tags, _) => Interlocked.Add(
                ref moves, Array.Exists(tags.ToArray(), tag => tag is { Key: "outcome", Value: "moved" }) ? (int)value : 0));
        listener.Start();
        var total = new SimulationCounts();
        for (var seed = 1; seed <= seeds; seed++)
        {
            total.Add(MultiClusterSimulation.Run(
                new SimulationSeed(seed), new() { HasHomes = true, OwnsByQuorum = quorum, ChangesConfiguration = configuration }).Counts);
        }

        output.WriteLine($"{moves} moves, {total}");
        Assert.True(total.UpdatesConfirmed > 10 * seeds, total.ToString());
        Assert.True(moves > seeds, $"{moves} moves");
    }

    private static string ClassOf(string grain) => $"Geo.Testing.Tests.HomeTests+{grain}";

    private static async Task StartAsync(SimulationWorld world, Begun begun, string[] clusters, int silos = 1)
    {
        world.OwnsByQuorum = true;
        foreach (var name in clusters)
        {
            world.AddCluster(name, host =>
            {
                host.Services.AddSingleton(begun);
                host.UseGeoEmbedded(geo => geo
                    .AddGrain<Following>().AddGrain<StrictFollowing>().AddGrain<QuorumFollowing>()
                    .AddGrain<InEu>().AddGrain<StrictInEu>().AddGrain<QuorumInEu>().AddGrain<Staying>()
                    .AddStore(GeoStorage.Quorum, _ => throw new InvalidOperationException("A simulated world gives its own.")));
            }, silos);
        }

        (world.Network.Options.MinDelay, world.Network.Options.MaxDelay) = (OneWay, OneWay);
        await world.StartAsync();
        await world.PassAsync(TimeSpan.FromSeconds(2));
    }

    public interface IPlace : IGrainWithStringKey
    {
        Task<string> Where();
    }

    /// <summary>When instances have begun, and where.</summary>
    public sealed class Begun
    {
        public List<(TimeSpan At, string Key, string Cluster)> At { get; } = [];
    }

    /// <summary>Calls at an even rate, of which a part comes from one cluster and the rest from the others.</summary>
    private sealed class Load(SimulationWorld world, string grain, int keys)
    {
        private readonly ChoiceTape _choices = world.Choices.Tape("load");
        private readonly Dictionary<SimulatedCluster, SimulatedClient> _clients = world.Clusters.ToDictionary(c => c, c => c.Client());
        private readonly List<Task> _calls = [];

        public int Calls { get; private set; }

        public async Task RunAsync(TimeSpan time, Func<TimeSpan, SimulatedCluster> from, double locality)
        {
            for (var until = world.Time.Elapsed + time; world.Time.Elapsed < until; await world.PassAsync(Between))
            {
                for (var key = 0; key < keys; key++)
                {
                    var home = from(world.Time.Elapsed);
                    var others = world.Clusters.Where(c => c != home).ToArray();
                    var caller = _choices.Next(1000) < locality * 1000 ? home : others[_choices.Next(others.Length)];
                    Calls++;
                    _calls.Add(_clients[caller].Grains.GetGrain<IPlace>($"{key}", ClassOf(grain)).Where());
                }
            }
        }

        /// <summary>All have been answered, and none was refused.</summary>
        public async Task EndAsync()
        {
            await Task.WhenAll(_calls);
            _calls.Clear();
        }
    }

    public abstract class Place(Begun begun, TimeProvider time) : Grain, IPlace
    {
        private string Cluster => RuntimeIdentity.Split('/')[0];

        public override Task OnActivateAsync(CancellationToken cancellationToken)
        {
            begun.At.Add((time.GetElapsedTime(0), IdentityString, Cluster));
            return Task.CompletedTask;
        }

        public Task<string> Where() => Task.FromResult(Cluster);
    }

    [GlobalSingleInstance, Home(HomePolicy.FollowsCallers)]
    public sealed class Following(Begun begun, TimeProvider time) : Place(begun, time);

    [GlobalSingleInstance(SingleInstanceMode.Pessimistic), Home(HomePolicy.FollowsCallers)]
    public sealed class StrictFollowing(Begun begun, TimeProvider time) : Place(begun, time);

    [GlobalSingleInstance(SingleInstanceMode.Quorum), Home(HomePolicy.FollowsCallers)]
    public sealed class QuorumFollowing(Begun begun, TimeProvider time) : Place(begun, time);

    [GlobalSingleInstance, Home("eu")]
    public sealed class InEu(Begun begun, TimeProvider time) : Place(begun, time);

    [GlobalSingleInstance(SingleInstanceMode.Pessimistic), Home("eu")]
    public sealed class StrictInEu(Begun begun, TimeProvider time) : Place(begun, time);

    [GlobalSingleInstance(SingleInstanceMode.Quorum), Home("eu")]
    public sealed class QuorumInEu(Begun begun, TimeProvider time) : Place(begun, time);

    [GlobalSingleInstance, Home(HomePolicy.FirstCaller)]
    public sealed class Staying(Begun begun, TimeProvider time) : Place(begun, time);
}
