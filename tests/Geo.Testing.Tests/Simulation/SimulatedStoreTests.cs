namespace Geo.Testing.Tests;

public class SimulatedStoreTests
{
    private readonly SimulationScheduler _scheduler = new();
    private readonly InMemoryConditionalStore _inner = new();
    private readonly SimulatedStore _store;

    public SimulatedStoreTests() => _store = new SimulatedStore(_inner, _scheduler, new ChoiceTape("store", new Random(1)), "store");

    [Fact]
    public void A_reliable_store_answers_after_its_delay()
    {
        Assert.Equal(StoreWriteOutcome.Applied, Write().Outcome);
        Assert.InRange(_scheduler.Time.Elapsed.TotalMilliseconds, 2, 20);
        Assert.Equal(StoreWriteOutcome.Conflict, Write().Outcome);
        Assert.Equal(1, _store.Counts.Conflicts);
    }

    [Fact]
    public void A_lost_request_is_unknown_and_has_no_effect()
    {
        _store.Options.LostRequests = 1;
        Assert.Equal(StoreWriteOutcome.Unknown, Write().Outcome);
        Assert.False(IsStoredAfter(TimeSpan.FromSeconds(10)));
    }

    [Fact]
    public void A_lost_reply_is_unknown_and_has_had_its_effect()
    {
        _store.Options.LostReplies = 1;
        Assert.Equal(StoreWriteOutcome.Unknown, Write().Outcome);
        Assert.True(IsStoredAfter(TimeSpan.Zero));
    }

    [Fact]
    public void A_late_write_is_unknown_and_has_its_effect_afterwards()
    {
        _store.Options.Late = 1;
        Assert.Equal(StoreWriteOutcome.Unknown, Write().Outcome);
        Assert.False(IsStoredAfter(TimeSpan.Zero));
        Assert.True(IsStoredAfter(_store.Options.MaxLateness));
    }

    [Fact]
    public void A_write_takes_effect_although_its_caller_has_crashed()
    {
        _store.Options.MinDelay = TimeSpan.FromMilliseconds(10);
        var lane = _scheduler.CreateLane("silo");
        _scheduler.Run(async () =>
        {
            _ = lane.RunAsync(async () => { await _store.WriteAsync("key", new byte[] { 1 }, null); });
            await Task.Delay(TimeSpan.FromMilliseconds(1), _scheduler.Time);
            Assert.Equal(1, _store.Counts.Operations);
            lane.Halt();
        });
        Assert.True(IsStoredAfter(TimeSpan.FromSeconds(1)));
    }

    [Fact]
    public void An_unreachable_store_answers_unknown_and_its_listing_breaks_off()
    {
        Assert.Equal(StoreWriteOutcome.Applied, Write().Outcome);
        _store.Options.Unreachable = true;
        Assert.Equal(StoreReadOutcome.Unknown, _scheduler.Run(async () => await _store.ReadAsync("key")).Outcome);
        Assert.Throws<GeoUnavailableException>(() => _scheduler.Run(async () =>
        {
            await foreach (var entry in _store.ListAsync(""))
            {
                Assert.Fail($"{entry.Key} was listed.");
            }
        }));
    }

    private StoreWrite Write() => _scheduler.Run(async () => await _store.WriteAsync("key", new byte[] { 1 }, null));

    private bool IsStoredAfter(TimeSpan time)
    {
        _scheduler.Time.Advance(time);
        return _inner.ReadAsync("key", TestContext.Current.CancellationToken).AsTask().Result.Outcome == StoreReadOutcome.Found;
    }
}
