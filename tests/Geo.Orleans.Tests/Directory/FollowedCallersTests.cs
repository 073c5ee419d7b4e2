using System.Diagnostics;
using System.Diagnostics.Metrics;
using Geo.Directory;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Directory;

/// <summary>Grains of Orleans that go where they are called from.</summary>
/// <remarks>Measures, so nothing else of this assembly runs at the same time.</remarks>
[CollectionDefinition(nameof(FollowedCallersTests), DisableParallelization = true)]
[Collection(nameof(FollowedCallersTests))]
public sealed class FollowedCallersTests(ITestOutputHelper output)
{
    private static readonly TimeSpan Between = TimeSpan.FromMilliseconds(10);

    [Fact]
    public async Task Three_seconds_after_callers_have_shifted_a_call_takes_at_most_0_15_trips_between_clusters_and_none_fails()
    {
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
        {
            SilosIn = new Dictionary<string, int> { ["us"] = 2 },
            Silo = silo => silo.Configure<GrainTypeOptions>(types => types.Classes.Add(typeof(Following))),
        });
        using var trips = new Trips(clusters, "eu", "us");
        var load = new Load(clusters);

        // Awaited, so that no call from us races it.
        Assert.Equal("eu", await load.Shifted("eu").Where());
        await load.RunAsync(TimeSpan.FromSeconds(1), "eu", withEven: true);
        Assert.Equal("eu", await load.Shifted("us").Where());
        var shift = DateTimeOffset.UtcNow;
        await load.RunAsync(TimeSpan.FromSeconds(3), "us", withEven: true);
        var (before, calls) = (trips.Count, load.Calls);
        await load.RunAsync(TimeSpan.FromSeconds(3), "us", withEven: false);
        var share = (double)(trips.Count - before) / (load.Calls - calls);
        var moved = string.Join(
            ", ", (await MovesAsync(clusters, "eu")).Select(move => $"{move.Key.Key} {(move.At - shift).TotalSeconds:0.0} s"));
        output.WriteLine($"{share:0.000} trips a call, {load.Calls - calls} calls; moves after the shift: {moved}");
        Assert.InRange(share, 0.05, 0.15);
        Assert.Equal("us", await load.Shifted("eu").Where());

        // It has moved within this minute, and stays.
        await load.RunAsync(TimeSpan.FromSeconds(2), "eu", withEven: true);
        await load.EndAsync();
        var moves = (await MovesAsync(clusters, "eu")).Concat(await MovesAsync(clusters, "us")).ToLookup(move => move.Key.Key);
        Assert.Equal("It follows its callers.", Assert.Single(moves[Load.ShiftedKey]).Why);
        Assert.InRange(moves[Load.EvenKey].Count(), 0, 1);
    }

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
        private int _turns;

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

    /// <summary>Counts what the silos of some clusters hear from each other.</summary>
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
                foreach (var tag in tags)
                {
                    if (tag is { Key: "geo.peer", Value: string peer } && peers.Contains(peer))
                    {
                        Interlocked.Add(ref _count, (int)value);
                    }
                }
            });
            _listener.Start();
        }

        public int Count => Volatile.Read(ref _count);

        public void Dispose() => _listener.Dispose();
    }

    /// <summary>Private, so that only the silos of this test serve it.</summary>
    [GrainType("following")]
    [GlobalSingleInstance, Home(HomePolicy.FollowsCallers)]
    private sealed class Following(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
    }
}
