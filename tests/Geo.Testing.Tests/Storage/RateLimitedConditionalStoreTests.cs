using System.Diagnostics;
using Geo.Testing.Storage;

namespace Geo.Testing.Tests.Storage;

public sealed class RateLimitedConditionalStoreTests
{
    private readonly ManualTime _time = new();

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void In_virtual_time_exactly_the_asked_number_is_served_each_second()
    {
        using var store = Store(new RateLimitOptions { OperationsPerSecond = 2500 });
        for (var i = 0; i < 6000; i++)
        {
            _ = store.ReadAsync("k", Stop).AsTask();
        }

        Assert.Equal((1, 5999), (store.Served, store.Queued));
        for (var second = 1; second <= 2; second++)
        {
            _time.Advance(TimeSpan.FromSeconds(1));
            Assert.Equal((2500 * second) + 1, store.Served);
        }

        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((6000, 0), (store.Served, store.Queued));
    }

    [Fact]
    public void Idle_time_earns_no_credit()
    {
        using var store = Store(new RateLimitOptions { OperationsPerSecond = 10 });
        _time.Advance(TimeSpan.FromHours(1));
        for (var i = 0; i < 5; i++)
        {
            _ = store.ReadAsync("k", Stop).AsTask();
        }

        Assert.Equal((1, 4), (store.Served, store.Queued));
        _time.Advance(TimeSpan.FromMilliseconds(200));
        Assert.Equal((3, 2), (store.Served, store.Queued));
    }

    [Fact]
    public async Task Operations_are_served_in_the_order_in_which_they_came()
    {
        using var store = Store(new RateLimitOptions { OperationsPerSecond = 10 });
        _ = store.ReadAsync("k", Stop).AsTask();
        var first = store.WriteAsync("k", new byte[] { 1 }, null, Stop).AsTask();
        var second = store.WriteAsync("k", new byte[] { 2 }, null, Stop).AsTask();

        _time.Advance(TimeSpan.FromMilliseconds(100));
        Assert.Equal(StoreWriteOutcome.Applied, (await first).Outcome);
        Assert.False(second.IsCompleted);
        _time.Advance(TimeSpan.FromMilliseconds(100));

        Assert.Equal(StoreWriteOutcome.Conflict, (await second).Outcome);
    }

    [Fact]
    public async Task What_finds_the_queue_full_is_unknown_at_once_and_counted()
    {
        using var store = Store(new RateLimitOptions { OperationsPerSecond = 10, MaxQueued = 2 });
        for (var i = 0; i < 3; i++)
        {
            _ = store.ReadAsync("k", Stop).AsTask();
        }

        var write = await store.WriteAsync("k", new byte[] { 1 }, null, Stop);
        var read = await store.ReadAsync("k", Stop);

        Assert.Equal(StoreWriteOutcome.Unknown, write.Outcome);
        Assert.StartsWith("busy: 2 operations", write.Reason, StringComparison.Ordinal);
        Assert.Equal(StoreReadOutcome.Unknown, read.Outcome);
        await Assert.ThrowsAsync<GeoUnavailableException>(
            async () => await store.ListAsync("", Stop).GetAsyncEnumerator(Stop).MoveNextAsync());
        Assert.Equal(3, store.Rejected);
    }

    [Fact]
    public async Task A_cancelled_operation_leaves_the_queue_without_taking_a_slot_or_having_an_effect()
    {
        using var store = Store(new RateLimitOptions { OperationsPerSecond = 10 });
        using var cancel = new CancellationTokenSource();
        _ = store.ReadAsync("k", Stop).AsTask();
        var cancelled = store.WriteAsync("k", new byte[] { 1 }, null, cancel.Token).AsTask();
        var next = store.ReadAsync("k", Stop).AsTask();

        await cancel.CancelAsync();
        _time.Advance(TimeSpan.FromMilliseconds(100));

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        Assert.Equal(StoreReadOutcome.NotFound, (await next).Outcome);
        Assert.Equal(2, store.Served);
    }

    [Fact]
    public async Task In_real_time_thousands_a_second_are_served_precisely()
    {
        using var store = new RateLimitedConditionalStore(
            new InMemoryConditionalStore(), new RateLimitOptions { OperationsPerSecond = 3000 }, TimeProvider.System);
        var started = Stopwatch.GetTimestamp();

        await Task.WhenAll(Enumerable.Range(0, 3000).Select(_ => store.ReadAsync("k", Stop).AsTask()));

        // The last of 3,000 has its slot after 2,999 intervals; a busy machine may be late, never early.
        Assert.InRange(Stopwatch.GetElapsedTime(started).TotalMilliseconds, 999, 5000);
    }

    [Fact]
    public async Task Disposing_cancels_what_waits()
    {
        var store = Store(new RateLimitOptions { OperationsPerSecond = 1 });
        _ = store.ReadAsync("k", Stop).AsTask();
        var waiting = store.ReadAsync("k", Stop).AsTask();

        store.Dispose();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
    }

    [Fact]
    public void Limits_out_of_range_are_refused()
    {
        Assert.Throws<GeoConfigurationException>(() => Store(new RateLimitOptions { OperationsPerSecond = 0 }));
        Assert.Throws<GeoConfigurationException>(() => Store(new RateLimitOptions { MaxQueued = 0 }));
    }

    private RateLimitedConditionalStore Store(RateLimitOptions options) => new(new InMemoryConditionalStore(), options, _time);
}
