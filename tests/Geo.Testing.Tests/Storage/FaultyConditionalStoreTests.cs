using System.Globalization;
using Geo.Testing.Storage;

namespace Geo.Testing.Tests.Storage;

public sealed class FaultyConditionalStoreTests
{
    private readonly ManualTime _time = new();
    private readonly InMemoryConditionalStore _inner = new();

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_write_lost_before_has_no_effect()
    {
        var store = Store(new StoreFaults { LostBefore = 1 });

        Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync("k", new byte[] { 1 }, null, Stop)).Outcome);
        Assert.Equal(StoreReadOutcome.NotFound, (await _inner.ReadAsync("k", Stop)).Outcome);
        Assert.Equal(1, store.Faulted);
    }

    [Fact]
    public async Task A_write_or_delete_lost_after_has_taken_effect()
    {
        var store = Store(new StoreFaults { LostAfter = 1 });

        Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync("k", new byte[] { 1 }, null, Stop)).Outcome);
        var written = await _inner.ReadAsync("k", Stop);
        Assert.Equal(StoreReadOutcome.Found, written.Outcome);
        Assert.Equal(StoreWriteOutcome.Unknown, (await store.DeleteAsync("k", written.ETag!.Value, Stop)).Outcome);
        Assert.Equal(StoreReadOutcome.NotFound, (await _inner.ReadAsync("k", Stop)).Outcome);
    }

    [Fact]
    public async Task A_delayed_write_takes_effect_later_with_the_value_given_then()
    {
        var store = Store(new StoreFaults { Delayed = 1, MaxDelay = TimeSpan.FromSeconds(1) });
        var buffer = new byte[] { 1 };

        Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync("k", buffer, null, Stop)).Outcome);
        buffer[0] = 9;
        Assert.Equal(StoreReadOutcome.NotFound, (await _inner.ReadAsync("k", Stop)).Outcome);
        _time.Advance(TimeSpan.FromSeconds(1));
        await store.SettleAsync();

        Assert.Equal([1], (await _inner.ReadAsync("k", Stop)).Value.ToArray());
    }

    [Fact]
    public async Task A_delayed_write_whose_version_has_passed_has_no_effect()
    {
        var store = Store(new StoreFaults { Delayed = 1 });

        await store.WriteAsync("k", new byte[] { 1 }, null, Stop);
        store.Faults = new StoreFaults();
        var overtaken = await store.WriteAsync("k", new byte[] { 2 }, null, Stop);
        _time.Advance(TimeSpan.FromSeconds(1));
        await store.SettleAsync();

        Assert.Equal(StoreWriteOutcome.Applied, overtaken.Outcome);
        Assert.Equal([2], (await _inner.ReadAsync("k", Stop)).Value.ToArray());
    }

    [Fact]
    public async Task While_unreachable_everything_is_unknown_and_nothing_takes_effect()
    {
        var store = Store(new StoreFaults());
        store.Unreachable = true;

        Assert.Equal(StoreReadOutcome.Unknown, (await store.ReadAsync("k", Stop)).Outcome);
        Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync("k", new byte[] { 1 }, null, Stop)).Outcome);
        await Assert.ThrowsAsync<GeoUnavailableException>(
            async () => await store.ListAsync("", Stop).GetAsyncEnumerator(Stop).MoveNextAsync());
        store.Unreachable = false;

        Assert.Equal(StoreReadOutcome.NotFound, (await store.ReadAsync("k", Stop)).Outcome);
    }

    [Fact]
    public async Task One_seed_gives_one_sequence_of_outcomes_in_the_asked_proportions()
    {
        var faults = new StoreFaults { LostBefore = 0.1, LostAfter = 0.2, Delayed = 0.1, ReadLost = 0.3 };
        var one = await OutcomesAsync(new FaultyConditionalStore(new InMemoryConditionalStore(), faults, new Random(5), _time));
        var two = await OutcomesAsync(new FaultyConditionalStore(new InMemoryConditionalStore(), faults, new Random(5), _time));
        var other = await OutcomesAsync(new FaultyConditionalStore(new InMemoryConditionalStore(), faults, new Random(6), _time));

        Assert.Equal(one, two);
        Assert.NotEqual(one, other);
        Assert.InRange(one.Count(o => o == "write Unknown"), 700, 900);
        Assert.InRange(one.Count(o => o == "read Unknown"), 520, 680);
    }

    [Fact]
    public void Probabilities_out_of_range_are_refused()
    {
        Assert.Throws<GeoConfigurationException>(() => Store(new StoreFaults { LostBefore = 1.1 }));
        Assert.Throws<GeoConfigurationException>(() => Store(new StoreFaults { LostBefore = 0.6, LostAfter = 0.6 }));
    }

    private static async Task<List<string>> OutcomesAsync(FaultyConditionalStore store)
    {
        var outcomes = new List<string>();
        for (var i = 0; i < 2000; i++)
        {
            var key = i.ToString(CultureInfo.InvariantCulture);
            outcomes.Add($"write {(await store.WriteAsync(key, default, null, Stop)).Outcome}");
            outcomes.Add($"read {((await store.ReadAsync(key, Stop)).Outcome == StoreReadOutcome.Unknown ? "Unknown" : "known")}");
        }

        return outcomes;
    }

    private FaultyConditionalStore Store(StoreFaults faults) => new(_inner, faults, new Random(1), _time);
}
