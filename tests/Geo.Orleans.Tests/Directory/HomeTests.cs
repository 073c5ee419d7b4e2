using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Storage.Quorum;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Directory;

/// <summary>Grains of Orleans whose classes say where they live.</summary>
public sealed class HomeTests(ITestOutputHelper output)
{
    private static readonly TimeSpan Between = TimeSpan.FromMilliseconds(10);

    [Fact]
    public async Task A_grain_goes_to_its_home_and_returns_when_that_is_back()
    {
        await using var clusters = await StartAsync(["eu", "us"], typeof(InEu));
        var (moved, us) = (In("us", "moved"), In("us", "k"));
        Assert.Equal("us", await moved.Where());
        await Eventually.Is("eu", moved.Where);

        // Moved no more than once a minute: the one that returns has not moved before.
        Assert.Equal("eu", await In("eu", "k").Where());
        Assert.Equal("eu", await us.Where());
        await clusters.KillAsync("eu");
        Assert.Equal("us", await Eventually.Succeeds(us.Where));
        await clusters.RestartAsync("eu");

        // A silo that has returned is called by a silo that has lost it: not every call finds it at once.
        await Eventually.Is("eu", () => Eventually.Succeeds(us.Where));
        Assert.Contains("Its home is back.", await WhyAsync(clusters, "us"));

        IStrictSpot In(string cluster, string key) => clusters.Grains(cluster).GetGrain<IStrictSpot>(GrainId.Create("in-eu", key));
    }

    [Fact]
    public async Task Three_seconds_after_callers_have_shifted_a_call_takes_at_most_0_15_trips_between_clusters_and_none_fails()
    {
        await using var clusters = await StartAsync(["eu", "us"], typeof(Following));
        using var trips = new Trips(clusters, "eu", "us");
        var load = new Load(clusters);
        await load.RunAsync(TimeSpan.FromSeconds(1), "eu", withEven: true);
        Assert.Equal("eu", await load.Shifted("us").Where());
        await load.RunAsync(TimeSpan.FromSeconds(3), "us", withEven: true);
        var (before, calls) = (trips.Count, load.Calls);
        await load.RunAsync(TimeSpan.FromSeconds(2), "us", withEven: false);
        var share = (double)(trips.Count - before) / (load.Calls - calls);
        output.WriteLine($"{share:0.000} trips a call, {load.Calls - calls} calls");
        Assert.InRange(share, 0.05, 0.15);
        Assert.Equal("us", await load.Shifted("eu").Where());

        // It has moved within this minute, and stays.
        await load.RunAsync(TimeSpan.FromSeconds(2), "eu", withEven: true);
        await load.EndAsync();
        var moves = (await MovesAsync(clusters, "eu")).Concat(await MovesAsync(clusters, "us")).ToLookup(move => move.Key.Key);
        Assert.Equal("It follows its callers.", Assert.Single(moves[Load.ShiftedKey]).Why);
        Assert.InRange(moves[Load.EvenKey].Count(), 0, 1);
    }

    [Fact]
    public async Task An_operator_lists_moves_and_releases_grains_owned_by_majority_from_any_silo_of_their_cluster()
    {
        await using var clusters = await StartAsync(["asia", "eu", "us"], typeof(Owned));
        var id = GrainId.Create("owned-at-home", "k");
        var key = GrainNames.ToKey(id);
        var there = clusters.Grains("us", 1).GetGrain<IStrictSpot>(id);
        Assert.Equal("us", await Eventually.Succeeds(there.Where));
        foreach (var silo in clusters.SilosOf("us"))
        {
            var listed = await Of(silo).ListAsync(new() { Type = key.Type }, TestContext.Current.CancellationToken);
            Assert.Contains(key, listed.Rows.Select(row => row.Key));
        }

        var row = (await Of(clusters.SilosOf("us")[0]).InspectAsync(key, TestContext.Current.CancellationToken))!;
        var other = clusters.SilosOf("us").Single(
            silo => GrainNames.ToNode(silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress) != row.Silo);
        Assert.True(await Of(other).MoveAsync(key, new("eu"), "the operator says so", TestContext.Current.CancellationToken));
        Assert.Equal("eu", await there.Where());
        Assert.Equal(
            new ClusterId("eu"), (await Of(other).InspectAsync(key, TestContext.Current.CancellationToken))!.Owner);
        Assert.True(await Of(clusters.SilosOf("eu")[0]).ReleaseAsync(key, "the operator says so", TestContext.Current.CancellationToken));
        Assert.Equal("us", await there.Where());
    }

    [Fact]
    public async Task A_grain_owned_by_majority_follows_its_callers_too()
    {
        await using var clusters = await StartAsync(["asia", "eu", "us"], typeof(OwnedFollowing));
        var id = GrainId.Create("owned-following", "k");
        Assert.Equal("eu", await Eventually.Succeeds(clusters.Grains("eu").GetGrain<IStrictSpot>(id).Where));
        var asia = clusters.Grains("asia").GetGrain<IStrictSpot>(id);
        await Eventually.Is("asia", asia.Where);
        Assert.Equal("asia", await clusters.Grains("eu").GetGrain<IStrictSpot>(id).Where());
    }

    private static Task<GeoTestCluster> StartAsync(string[] names, params Type[] classes)
    {
        var disks = new ConcurrentDictionary<string, InMemoryConditionalStore>();
        return GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
        {
            Clusters = names,
            SilosIn = new Dictionary<string, int> { ["us"] = 2 },
            Silo = silo => silo.Configure<GrainTypeOptions>(types => types.Classes.UnionWith(classes)),
            Geo = geo => geo.AddQuorumStore(GeoStorage.Quorum, names, services => disks.GetOrAdd(
                services.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId, _ => new InMemoryConditionalStore())),
        });
    }

    private static IGeoAdministration Of(GeoTestSilo silo) => silo.Services.GetRequiredService<IGeoSilo>().Administration;

    private static async Task<IEnumerable<string>> WhyAsync(GeoTestCluster clusters, string cluster) =>
        (await MovesAsync(clusters, cluster)).Select(move => move.Why);

    private static async Task<IEnumerable<GrainMove>> MovesAsync(GeoTestCluster clusters, string cluster)
    {
        var moves = await clusters.SilosOf(cluster)[0].Services.GetRequiredService<ISiloAccess>().Moves.ReadAsync(
            null, 100, TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken);
        return moves.Moves.Where(move => move.Kind == MoveKind.MovedAway);
    }

    /// <summary>Calls two grains at an even rate: one mostly from one of two clusters, the other from both alike.</summary>
    private sealed class Load(GeoTestCluster clusters)
    {
        public const string ShiftedKey = "shifted";
        public const string EvenKey = "even";

        private readonly List<Task> _calls = [];

        // The first call is none of the few from elsewhere: there the grain would begin, and its first move be there already.
        private int _turns = 1;

        public int Calls => _calls.Count;

        public IStrictSpot Shifted(string from) => Find(from, ShiftedKey);

        /// <param name="time">How long.</param>
        /// <param name="cluster">Where nine calls of ten of the first grain are from.</param>
        /// <param name="withEven">Whether the second one is called, too.</param>
        public async Task RunAsync(TimeSpan time, string cluster, bool withEven)
        {
            var other = cluster == "eu" ? "us" : "eu";
            for (var began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began) < time; _turns++)
            {
                _calls.Add(Find(_turns % 10 == 0 ? other : cluster, ShiftedKey).Where());
                if (withEven)
                {
                    _calls.Add(Find(_turns % 2 == 0 ? "eu" : "us", EvenKey).Where());
                }

                await Task.Delay(Between, TestContext.Current.CancellationToken);
            }
        }

        /// <summary>All have been answered, and none was refused.</summary>
        public Task EndAsync() => Task.WhenAll(_calls);

        // From all silos of the cluster, one of which does not get what is carried to it.
        private IStrictSpot Find(string cluster, string key) => clusters.Grains(cluster, _turns / 2 % clusters.SilosOf(cluster).Count)
            .GetGrain<IStrictSpot>(GrainId.Create("following", key));
    }

    /// <summary>Counts what the silos of some clusters hear from each other, but for what keeps the leases of a majority.</summary>
    private sealed class Trips : IDisposable
    {
        private readonly MeterListener _listener = new();
        private int _count;

        public Trips(GeoTestCluster clusters, params string[] clusterNames)
        {
            var peers = clusterNames.SelectMany(cluster => clusters.SilosOf(cluster).Select(
                silo => $"{cluster}/{silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress.Endpoint}")).ToHashSet();
            _listener.InstrumentPublished = (instrument, self) =>
            {
                if (instrument.Name == "geo.messaging.handled")
                {
                    self.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
            {
                var (peer, service) = ("", "");
                foreach (var tag in tags)
                {
                    (peer, service) = tag switch
                    {
                        { Key: "geo.peer", Value: string name } => (name, service),
                        { Key: "geo.service", Value: string name } => (peer, name),
                        _ => (peer, service),
                    };
                }

                var isTrip = peers.Contains(peer) && !service.StartsWith("geo/quorum/", StringComparison.Ordinal);
                Interlocked.Add(ref _count, isTrip ? (int)value : 0);
            });
            _listener.Start();
        }

        public int Count => Volatile.Read(ref _count);

        public void Dispose() => _listener.Dispose();
    }

    // Private, so that only the silos of these tests serve them.
    [GrainType("in-eu")]
    [GlobalSingleInstance, Home("eu")]
    private sealed class InEu(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
    }

    [GrainType("following")]
    [GlobalSingleInstance, Home(HomePolicy.FollowsCallers)]
    private sealed class Following(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
    }

    [GrainType("owned-at-home")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum)]
    private sealed class Owned(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
    }

    [GrainType("owned-following")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum), Home(HomePolicy.FollowsCallers)]
    private sealed class OwnedFollowing(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
    }
}
