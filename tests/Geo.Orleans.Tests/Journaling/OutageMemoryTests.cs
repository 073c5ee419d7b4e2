using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Journaling;

/// <summary>Measures memory, so nothing else of this assembly runs at the same time.</summary>
[CollectionDefinition(nameof(OutageMemoryTests), DisableParallelization = true)]
[Collection(nameof(OutageMemoryTests))]
public sealed class OutageMemoryTests
{
    private const int Waves = 5;
    private const int Wave = 2_000;

    // Of each read that timed out 2,155 bytes were kept once.
    private const long LimitOfCall = 200;

    [Theory]
    [InlineData(typeof(Desk))]
    [InlineData(typeof(SingleDesk))]
    public async Task Reads_that_timed_out_while_the_store_is_away_hold_no_memory(Type grainClass)
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { Clusters = ["eu"] });
        var desk = clusters.Grains("eu").GetGrain<IDesk>($"outage-{grainClass.Name}", grainClass.FullName);
        await desk.Confirm(7);
        clusters.Shared.Unreachable = true;
        await TimeOutAsync(desk);

        // The median: what other tests have left behind may go at any time.
        var held = new long[Waves];
        for (var (wave, before) = (0, Held()); wave < Waves; wave++, before += held[wave - 1])
        {
            await TimeOutAsync(desk);
            held[wave] = Held() - before;
        }

        var median = held.Order().ElementAt(Waves / 2);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{Wave} reads that timed out hold {median} bytes ({string.Join(", ", held)}).");
        Assert.InRange(median, long.MinValue, Wave * LimitOfCall);
        clusters.Shared.Unreachable = false;
        Assert.Equal(7, await Eventually.Succeeds(desk.Latest));
    }

    private static async Task TimeOutAsync(IDesk desk)
    {
        var wave = Enumerable.Range(0, Wave).Select(_ => desk.LatestBriefly()).ToArray();
        foreach (var call in wave)
        {
            var exception = await Record.ExceptionAsync(() => call);
            Assert.True(exception is TimeoutException or GeoOutcomeUnknownException or GeoUnavailableException, $"{exception}");
        }
    }

    private static long Held()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return GC.GetTotalMemory(forceFullCollection: true);
    }
}
