using System.Diagnostics;
using Geo.Messaging;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Embedded.Tests;

/// <summary>Measures, so nothing else of this assembly runs at the same time.</summary>
[CollectionDefinition(nameof(LocalLatencyTests), DisableParallelization = true)]
[Collection(nameof(LocalLatencyTests))]
public sealed class LocalLatencyTests
{
    private const int BlocksOfEach = 60;
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
        for (var warmUp = 0; warmUp < 10; warmUp++)
        {
            await MeasureAsync(stock);
        }

        // Neighbouring blocks share whatever else the machine is doing; the median of their ratios forgets the pairs that do not.
        var ratios = new List<double>();
        var reachable = new List<double>();
        var unreachable = new List<double>();
        for (var pair = 0; pair < BlocksOfEach; pair++)
        {
            var unreachableFirst = pair % 2 == 0;
            await SwitchAsync(unreachableFirst);
            var first = await MeasureAsync(stock);
            await SwitchAsync(!unreachableFirst);
            var second = await MeasureAsync(stock);
            var (with, without) = unreachableFirst ? (second, first) : (first, second);
            reachable.Add(with);
            unreachable.Add(without);
            ratios.Add(without / with);
        }

        var ratio = Median(ratios);
        var line = $"{grainClass.Name}: p50 of a local call: {Median(reachable):F2} us reachable, {Median(unreachable):F2} us unreachable"
            + $"{(storeHangs ? " (the store hangs)" : "")}, ratio {ratio:F3}";
        TestContext.Current.TestOutputHelper?.WriteLine(line);
        Console.WriteLine(line);
        Assert.True(ratio is > 0.8 and < 1.2, line);

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

    private static async Task<double> MeasureAsync(IStock stock)
    {
        var times = new double[CallsInBlock];
        for (var i = 0; i < CallsInBlock; i++)
        {
            var began = Stopwatch.GetTimestamp();
            await stock.Look();
            times[i] = Stopwatch.GetElapsedTime(began).TotalMicroseconds;
        }

        return Median(times);
    }

    private static double Median(IEnumerable<double> values)
    {
        var sorted = values.Order().ToArray();
        return sorted[sorted.Length / 2];
    }
}
