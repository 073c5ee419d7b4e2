using System.Diagnostics;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Links;

public sealed class LinkChannelsTests
{
    [Fact]
    public async Task A_round_does_not_wait_behind_the_large_arguments_of_carried_calls()
    {
        // 64 KiB each 50 ms and connection: some 1.3 MB a second, so that 16 MB take twelve seconds.
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            OneWayDelay = TimeSpan.FromMilliseconds(50),
            MaxBytesUnderWay = 64 * 1024,
            Directory = options => options with
            {
                RequestTimeout = TimeSpan.FromSeconds(20),
                ResendDelay = TimeSpan.FromSeconds(20),
                RoundLifetime = TimeSpan.FromMinutes(2),
            },
        });
        await clusters.Grains("eu").GetGrain<ISpot>("large").Where();
        var there = clusters.Grains("us").GetGrain<ISpot>("large");
        await there.Where();

        var large = there.Measure(new byte[16 * 1024 * 1024]);
        var started = Stopwatch.GetTimestamp();
        for (var i = 0; i < 5; i++)
        {
            Assert.Equal("us", (await clusters.Grains("us").GetGrain<ISpot>($"meanwhile-{i}").Where()).Cluster);
        }

        Assert.False(large.IsCompleted, $"Five rounds took {Stopwatch.GetElapsedTime(started)}, longer than the large call.");
        Assert.Equal(16 * 1024 * 1024, await large);
    }

    [Fact]
    public async Task A_call_does_not_wait_behind_the_large_arguments_of_another_caller_of_the_same_grain()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            OneWayDelay = TimeSpan.FromMilliseconds(50),
            MaxBytesUnderWay = 64 * 1024,
        });
        await clusters.Grains("eu").GetGrain<ISpot>("shared").Where();
        var (one, other) = (clusters.Grains("us").GetGrain<ICaller>("one"), clusters.Grains("us").GetGrain<ICaller>("other"));
        Assert.Equal(1, await one.Measure("shared", 1));

        // Some of these calls are made once the large one is on its way, however long it takes to begin.
        var large = one.Measure("shared", 16 * 1024 * 1024);
        for (var i = 0; i < 20; i++)
        {
            Assert.Equal(1, await other.Measure("shared", 1));
        }

        Assert.False(large.IsCompleted, "The calls of another grain ended only after the large one.");
        Assert.Equal(16 * 1024 * 1024, await large);
    }
}
