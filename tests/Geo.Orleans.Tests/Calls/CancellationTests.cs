using System.Diagnostics;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Calls;

/// <summary>Calls from "us" to a grain in "eu" that are cancelled by their caller.</summary>
public sealed class CancellationTests(TwoClusters two) : IClassFixture<TwoClusters>
{
    // Well below the time after which the call would end by itself.
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(20);

    [Fact]
    public Task A_cancelled_call_ends_for_the_caller_and_in_the_grain() =>
        CancelledAsync("token", two.Clusters.Grains("us"));

    [Fact]
    public async Task A_call_that_an_external_client_cancels_ends_in_the_grain() =>
        await CancelledAsync("token-of-client", await two.Clusters.ConnectAsync("us", useGeo: true));

    [Fact]
    public async Task A_grain_cancellation_token_reaches_the_grain_by_the_first_call_and_by_later_ones()
    {
        var there = await PlaceInEuAsync("grain-token", two.Clusters.Grains("us"));

        // The second time the caller knows where the grain is.
        for (var call = 0; call < 2; call++)
        {
            Waiter.Waits.TryRemove("grain-token", out _);
            using var source = new GrainCancellationTokenSource();
            var waiting = there.WaitForToken(source.Token);
            await Eventually.Is("waiting", () => Task.FromResult(Waiter.Waits.GetValueOrDefault("grain-token")));

            await source.Cancel();

            await Eventually.Is("cancelled", () => Task.FromResult(Waiter.Waits.GetValueOrDefault("grain-token")));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        }
    }

    private async Task CancelledAsync(string key, IGrainFactory caller)
    {
        var there = await PlaceInEuAsync(key, caller);

        // The second time the caller knows where the grain is.
        for (var call = 0; call < 2; call++)
        {
            Waiter.Waits.TryRemove(key, out _);
            using var source = new CancellationTokenSource();
            var waiting = there.Wait(source.Token);
            await Eventually.Is("waiting", () => Task.FromResult(Waiter.Waits.GetValueOrDefault(key)));

            var began = Stopwatch.GetTimestamp();
            await source.CancelAsync();

            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
            await Eventually.Is("cancelled", () => Task.FromResult(Waiter.Waits.GetValueOrDefault(key)));
            Assert.InRange(Stopwatch.GetElapsedTime(began), TimeSpan.Zero, Soon);
        }
    }

    private async Task<IWaiter> PlaceInEuAsync(string key, IGrainFactory caller)
    {
        Assert.Equal("eu", (await two.Clusters.Grains("eu").GetGrain<IWaiter>(key).Where()).Cluster);
        return caller.GetGrain<IWaiter>(key);
    }
}
