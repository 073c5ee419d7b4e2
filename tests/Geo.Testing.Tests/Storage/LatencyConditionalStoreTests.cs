using Geo.Testing.Storage;

namespace Geo.Testing.Tests.Storage;

public sealed class LatencyConditionalStoreTests
{
    private static readonly TimeSpan RoundTrip = TimeSpan.FromMilliseconds(10);

    private readonly ManualTime _time = new();
    private readonly InMemoryConditionalStore _inner = new();

    [Fact]
    public async Task A_write_takes_effect_after_half_of_the_round_trip_and_ends_after_all_of_it()
    {
        var store = new LatencyConditionalStore(_inner, RoundTrip, _time);

        var write = store.WriteAsync("k", new byte[] { 1 }, null, TestContext.Current.CancellationToken).AsTask();
        _time.Advance(TimeSpan.FromMilliseconds(4.9));
        Assert.Equal(StoreReadOutcome.NotFound, await OutcomeAsync());
        _time.Advance(TimeSpan.FromMilliseconds(0.2));
        await _time.ArmedAsync(1);
        Assert.Equal(StoreReadOutcome.Found, await OutcomeAsync());
        Assert.False(write.IsCompleted);
        _time.Advance(TimeSpan.FromMilliseconds(5));

        Assert.Equal(StoreWriteOutcome.Applied, (await write).Outcome);
    }

    [Fact]
    public async Task A_read_gives_what_was_there_in_the_middle_of_the_round_trip()
    {
        var store = new LatencyConditionalStore(_inner, RoundTrip, _time);
        var first = await _inner.WriteAsync("k", new byte[] { 1 }, null, TestContext.Current.CancellationToken);

        var read = store.ReadAsync("k", TestContext.Current.CancellationToken).AsTask();
        _time.Advance(TimeSpan.FromMilliseconds(5));
        await _time.ArmedAsync(1);
        await _inner.WriteAsync("k", new byte[] { 2 }, first.ETag, TestContext.Current.CancellationToken);
        _time.Advance(TimeSpan.FromMilliseconds(5));

        Assert.Equal(first.ETag, (await read).ETag);
    }

    [Fact]
    public async Task A_write_cancelled_on_its_way_there_has_no_effect()
    {
        var store = new LatencyConditionalStore(_inner, RoundTrip, _time);
        using var cancel = new CancellationTokenSource();

        var write = store.WriteAsync("k", new byte[] { 1 }, null, cancel.Token).AsTask();
        await cancel.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => write);
        _time.Advance(RoundTrip);
        Assert.Equal(StoreReadOutcome.NotFound, await OutcomeAsync());
    }

    [Fact]
    public async Task A_write_cancelled_on_its_way_back_is_unknown_and_has_taken_effect()
    {
        var store = new LatencyConditionalStore(_inner, RoundTrip, _time);
        using var cancel = new CancellationTokenSource();

        var write = store.WriteAsync("k", new byte[] { 1 }, null, cancel.Token).AsTask();
        _time.Advance(RoundTrip / 2);
        await _time.ArmedAsync(1);
        await cancel.CancelAsync();

        Assert.Equal(StoreWriteOutcome.Unknown, (await write).Outcome);
        Assert.Equal(StoreReadOutcome.Found, await OutcomeAsync());
    }

    [Fact]
    public void A_distribution_stays_in_its_bounds_and_one_seed_gives_one_sequence()
    {
        var (least, most) = (TimeSpan.FromMilliseconds(5), TimeSpan.FromMilliseconds(9));
        var uniform = LatencyDistribution.Uniform(least, most, new Random(3));
        var again = LatencyDistribution.Uniform(least, most, new Random(3));
        var tail = LatencyDistribution.WithTail(least, TimeSpan.FromMilliseconds(2), new Random(3));
        var tails = new List<TimeSpan>();
        for (var i = 0; i < 10_000; i++)
        {
            var next = uniform.Next();
            Assert.InRange(next, least, most);
            Assert.Equal(next, again.Next());
            tails.Add(tail.Next());
        }

        Assert.True(tails.Min() >= least);
        Assert.InRange(tails.Average(t => t.TotalMilliseconds), 6.8, 7.2);
        Assert.Throws<ArgumentOutOfRangeException>(() => LatencyDistribution.Fixed(TimeSpan.FromTicks(-1)));
        Assert.Throws<ArgumentOutOfRangeException>(() => LatencyDistribution.Uniform(most, least, new Random(3)));
    }

    private async Task<StoreReadOutcome> OutcomeAsync() => (await _inner.ReadAsync("k", TestContext.Current.CancellationToken)).Outcome;
}
