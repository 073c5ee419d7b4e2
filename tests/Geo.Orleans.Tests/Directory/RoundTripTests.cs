using System.Diagnostics;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Directory;

public sealed class RoundTripTests
{
    private static readonly TimeSpan RoundTrip = TimeSpan.FromMilliseconds(600);

    [Fact]
    public async Task A_first_access_costs_one_round_trip_a_remote_one_two_then_one_and_a_local_repeat_none()
    {
        await using var clusters = await OrleansClusters.StartAsync(new()
        {
            OneWayDelay = RoundTrip / 2,
            Directory = options => options with { RequestTimeout = TimeSpan.FromSeconds(3), ResendDelay = TimeSpan.FromSeconds(3), RoundLifetime = TimeSpan.FromSeconds(20) },
        });
        var eu = clusters.Grains("eu");
        var us = clusters.Grains("us");

        // Connecting, and what runs for the first time, is not what is counted.
        await eu.GetGrain<ISpot>("warm-up").Where();
        await us.GetGrain<ISpot>("warm-up").Where();

        Assert.Equal(1, await RoundTripsAsync(() => eu.GetGrain<ISpot>("trip").Where()));
        Assert.Equal(0, await RoundTripsAsync(() => eu.GetGrain<ISpot>("trip").Where()));
        Assert.Equal(2, await RoundTripsAsync(() => us.GetGrain<ISpot>("trip").Where()));
        Assert.Equal(1, await RoundTripsAsync(() => us.GetGrain<ISpot>("trip").Where()));
    }

    private static async Task<int> RoundTripsAsync(Func<Task> call)
    {
        var started = Stopwatch.GetTimestamp();
        await call();
        return (int)(Stopwatch.GetElapsedTime(started) / RoundTrip);
    }
}
