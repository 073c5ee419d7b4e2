using Geo.Messaging;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Embedded.Tests;

/// <summary>Measures, so nothing else of this assembly runs at the same time.</summary>
[CollectionDefinition(nameof(LocalLatencyTests), DisableParallelization = true)]
[Collection(nameof(LocalLatencyTests))]
public sealed class LocalLatencyTests
{
    private const int Pairs = 60;
    private const int CallsInBlock = 400;

    [Theory]
    [InlineData(typeof(SharedStockGrain), false)]
    [InlineData(typeof(SharedStockGrain), true)]
    [InlineData(typeof(VolatileStockGrain), false)]
    [InlineData(typeof(MajorityStockGrain), false)]
    public async Task A_local_repeat_call_on_a_versioned_grain_takes_as_long_when_the_other_region_and_the_store_are_unreachable(
        Type grainClass, bool storeHangs)
    {
        var store = new SilentStore(new InMemoryConditionalStore()) { HangsInSilence = storeHangs };
        await using var node = new MessagingNode(
            new MessagingOptions { Peer = new PeerId("us/silo"), Cluster = new ClusterId("us"), ListenOn = PeerAddress.Loopback() },
            TimeProvider.System,
            NullLoggerFactory.Instance);
        await node.StartAsync(TestContext.Current.CancellationToken);
        await using var links = new ClusterMessenger(node, new Dictionary<ClusterId, IReadOnlyList<PeerAddress>>());
        var messenger = new CuttableMessenger(links);
        void Configure(GeoEmbeddedBuilder geo)
        {
            geo.Grains.Add(grainClass);
            geo.AddStore(GeoStorage.Default, _ => store);
        }

        await using var us = await TestSilo.StartAsync(
            "us", Configure, [("eu", null)], s => s.AddSingleton<IClusterMessenger>(messenger));
        await using var eu = await TestSilo.StartAsync("eu", Configure, [("us", node.ListeningOn!.ToString())]);
        await Eventually.HoldsAsync(() => node.Members.Count > 0, "the clusters are linked");
        var stock = us.Grains.GetGrain<IStock>("a");
        await stock.AddAndConfirm(1);
        await eu.Grains.GetGrain<IStock>("a").AddAndConfirm(1);
        var times = await PairedTimes.MeasureAsync(Pairs, CallsInBlock, SwitchAsync, stock.Look);
        var line = $"{grainClass.Name}, a local call{(storeHangs ? " (the store hangs)" : "")}: {times}";
        TestContext.Current.TestOutputHelper?.WriteLine(line);
        Console.WriteLine(line);
        Assert.True(times.P50 is > 0.8 and < 1.2, line);

        await SwitchAsync(unreachable: false);
        await stock.ReadLatest();
        Assert.Equal(0, (await stock.Look()).Unconfirmed);

        // An update before each block, so that while unreachable there is something that waits to be confirmed.
        async Task SwitchAsync(bool unreachable)
        {
            messenger.IsCut = unreachable;
            store.IsSilent = unreachable;
            await stock.Add(1);
        }
    }

    /// <summary>With two clusters nothing is confirmed while one of them is away.</summary>
    [OneInstancePerCluster, VersionedLeader(Confirmation = UpdateConfirmation.Replicated)]
    public sealed class MajorityStockGrain : StockGrain;
}
