using System.Diagnostics;
using Geo.Consistency.Lattices;
using Geo.Messaging;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Embedded.Tests.Lattices;

/// <summary>Measures, so nothing else of this assembly runs at the same time.</summary>
[CollectionDefinition(nameof(LatticeLatencyTests), DisableParallelization = true)]
[Collection(nameof(LatticeLatencyTests))]
public sealed class LatticeLatencyTests
{
    private const int Pairs = 60;
    private const int UpdatesInBlock = 1000;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_local_update_takes_as_long_at_p50_and_p99_when_all_other_regions_are_unreachable(bool isSet)
    {
        await using var node = new MessagingNode(
            new MessagingOptions { Peer = new PeerId("us/silo"), Cluster = new ClusterId("us"), ListenOn = PeerAddress.Loopback() },
            TimeProvider.System,
            NullLoggerFactory.Instance);
        await node.StartAsync(TestContext.Current.CancellationToken);
        await using var links = new ClusterMessenger(node, new Dictionary<ClusterId, IReadOnlyList<PeerAddress>>());
        var messenger = new CuttableMessenger(links);
        void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<Likes>().AddGrain<Likers>();
        await using var us = await TestSilo.StartAsync(
            "us", Configure, [("eu", null), ("asia", null)], s => s.AddSingleton<IClusterMessenger>(messenger));
        var address = node.ListeningOn!.ToString();
        await using var eu = await TestSilo.StartAsync("eu", Configure, [("us", address), ("asia", null)]);
        await using var asia = await TestSilo.StartAsync("asia", Configure, [("us", address), ("eu", eu.Address)]);
        await Eventually.HoldsAsync(() => node.Members.Count > 1, "the clusters are linked");
        var likes = Of(us);
        await likes.Update();
        await likes.KnownIn(3);
        var (p50, p99) = (new Ratios(), new Ratios());
        var updates = 1L;
        for (var pair = -5; pair < Pairs; pair++)
        {
            // Neighbouring blocks share whatever else the machine is doing; the median of their ratios forgets the pairs that do not.
            var (first, second) = (await MeasureAsync(pair % 2 == 0), await MeasureAsync(pair % 2 != 0));
            var (reachable, cut) = pair % 2 == 0 ? (second, first) : (first, second);
            if (pair >= 0)
            {
                p50.Add(reachable.P50, cut.P50);
                p99.Add(reachable.P99, cut.P99);
            }
        }

        var line = $"local update of a {(isSet ? "set" : "counter")}, us: p50 {p50}; p99 {p99}";
        TestContext.Current.TestOutputHelper?.WriteLine(line);
        Console.WriteLine(line);
        Assert.True(p50.Median is > 0.8 and < 1.2 && p99.Median is > 0.8 and < 1.2, line);

        messenger.IsCut = false;
        await likes.KnownIn(3);
        await Eventually.HoldsAsync(async () => await Of(eu).Show() == (isSet ? 1 : updates), "eu has all updates");

        IMeasured Of(TestSilo silo) => isSet ? silo.Grains.GetGrain<ILikers>("a") : silo.Grains.GetGrain<ILikes>("a");

        async Task<(double P50, double P99)> MeasureAsync(bool isCut)
        {
            messenger.IsCut = isCut;
            var times = new double[UpdatesInBlock];
            for (var i = 0; i < times.Length; i++)
            {
                var began = Stopwatch.GetTimestamp();
                await likes.Update();
                times[i] = Stopwatch.GetElapsedTime(began).TotalMicroseconds;
            }

            updates += times.Length;
            Array.Sort(times);
            return (times[times.Length / 2], times[times.Length * 99 / 100]);
        }
    }

    public interface IMeasured : IGrainWithStringKey
    {
        Task Update();

        Task<long> Show();

        Task KnownIn(int clusters);
    }

    public interface ILikes : IMeasured;

    public interface ILikers : IMeasured;

    [CoordinationFree]
    public sealed class Likes : LatticeGrain<PnCounter>, ILikes
    {
        public Task Update()
        {
            Update(static (state, origin) => state.Add(origin.Source, 1));
            return Task.CompletedTask;
        }

        public Task<long> Show() => Task.FromResult(State.Value);

        public Task KnownIn(int clusters) => KnownInAsync(clusters);
    }

    [CoordinationFree]
    public sealed class Likers : LatticeGrain<Dotted<OrSet<string>>>, ILikers
    {
        public Task Update()
        {
            Update(static (state, origin) => state.Content.Add(origin.NextDot(), "somebody"));
            return Task.CompletedTask;
        }

        public Task<long> Show() => Task.FromResult((long)State.Content.Count);

        public Task KnownIn(int clusters) => KnownInAsync(clusters);
    }

    /// <summary>What blocks took while the others could be reached, and while not.</summary>
    private sealed class Ratios
    {
        private readonly List<(double Reachable, double Cut)> _blocks = [];

        public double Median => Of(b => b.Cut / b.Reachable);

        public void Add(double reachable, double cut) => _blocks.Add((reachable, cut));

        public override string ToString() =>
            FormattableString.Invariant($"{Of(b => b.Reachable):F2} reachable, {Of(b => b.Cut):F2} unreachable, ratio {Median:F3}");

        private double Of(Func<(double Reachable, double Cut), double> value) => _blocks.Select(value).Order().ElementAt(_blocks.Count / 2);
    }
}
