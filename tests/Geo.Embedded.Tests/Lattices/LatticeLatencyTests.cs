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
        var times = await PairedTimes.MeasureAsync(
            Pairs,
            UpdatesInBlock,
            isCut =>
            {
                messenger.IsCut = isCut;
                return Task.CompletedTask;
            },
            likes.Update);
        var line = $"local update of a {(isSet ? "set" : "counter")}: {times}";
        TestContext.Current.TestOutputHelper?.WriteLine(line);
        Console.WriteLine(line);
        Assert.True(times is { P50: > 0.8 and < 1.2, P99: > 0.8 and < 1.2 }, line);

        messenger.IsCut = false;
        await likes.KnownIn(3);
        await Eventually.HoldsAsync(
            async () => await Of(eu).Show() == (isSet ? 1 : 1 + (PairedTimes.BlocksFor(Pairs) * UpdatesInBlock)), "eu has all updates");

        IMeasured Of(TestSilo silo) => isSet ? silo.Grains.GetGrain<ILikers>("a") : silo.Grains.GetGrain<ILikes>("a");
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
}
