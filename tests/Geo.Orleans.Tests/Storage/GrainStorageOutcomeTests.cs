using Geo.Orleans.Tests.Clusters;
using Orleans.Storage;

namespace Geo.Orleans.Tests.Storage;

public sealed class GrainStorageOutcomeTests
{
    private readonly ScriptedGrainStorage _storage = new();
    private readonly GrainStorageConditionalStore _store;
    private readonly GrainStorageConditionalStore _other;

    public GrainStorageOutcomeTests()
    {
        _store = new("rows", _storage, new GrainStorageStoreOptions { Timeout = TimeSpan.FromSeconds(5) });
        _other = new("rows", _storage);
    }

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_write_refused_for_its_own_effect_is_applied()
    {
        _storage.AfterWrite = () => throw new InconsistentStateException("sent again, and in conflict with the first");

        var write = await _store.WriteAsync("k", new byte[] { 1 }, null, Stop);
        var read = await _store.ReadAsync("k", Stop);

        Assert.Equal((StoreWriteOutcome.Applied, read.ETag), (write.Outcome, write.ETag));
    }

    [Fact]
    public async Task A_write_refused_for_its_own_effect_is_applied_though_others_followed()
    {
        _storage.AfterWrite = async () =>
        {
            await OverwriteAsync(5);
            throw new InconsistentStateException("sent again, and in conflict with others");
        };

        var write = await _store.WriteAsync("k", new byte[] { 1 }, null, Stop);
        var onIt = await _store.WriteAsync("k", new byte[] { 2 }, write.ETag, Stop);

        Assert.Equal((StoreWriteOutcome.Applied, StoreWriteOutcome.Conflict), (write.Outcome, onIt.Outcome));
    }

    [Theory]
    [InlineData(1, StoreWriteOutcome.Conflict)]
    [InlineData(15, StoreWriteOutcome.Conflict)]
    [InlineData(16, StoreWriteOutcome.Unknown)]
    public async Task A_write_overtaken_by_others_conflicts_as_long_as_the_stamps_reach_back(int others, StoreWriteOutcome outcome)
    {
        var first = await _store.WriteAsync("k", new byte[] { 1 }, null, Stop);
        _storage.BeforeWrite = () => OverwriteAsync(others);

        Assert.Equal(outcome, (await _store.WriteAsync("k", new byte[] { 2 }, first.ETag, Stop)).Outcome);
    }

    [Fact]
    public async Task Any_other_exception_is_unknown_whether_the_write_took_effect_or_not()
    {
        _storage.AfterWrite = () => throw new IOException("broken after it");
        var written = await _store.WriteAsync("a", new byte[] { 1 }, null, Stop);
        _storage.BeforeWrite = () => throw new IOException("broken before it");
        var unwritten = await _store.WriteAsync("b", new byte[] { 1 }, null, Stop);

        Assert.Equal((StoreWriteOutcome.Unknown, StoreWriteOutcome.Unknown), (written.Outcome, unwritten.Outcome));
        Assert.Contains("broken after it", written.Reason, StringComparison.Ordinal);
        Assert.Equal(StoreReadOutcome.Found, (await _store.ReadAsync("a", Stop)).Outcome);
        Assert.Equal(StoreReadOutcome.NotFound, (await _store.ReadAsync("b", Stop)).Outcome);
    }

    [Fact]
    public async Task A_refusal_that_cannot_be_looked_into_is_unknown()
    {
        var first = await _store.WriteAsync("k", new byte[] { 1 }, null, Stop);
        _storage.BeforeWrite = () =>
        {
            _storage.ReadFailure = new IOException("unreachable");
            throw new InconsistentStateException("another version");
        };

        Assert.Equal(StoreWriteOutcome.Unknown, (await _store.WriteAsync("k", new byte[] { 2 }, first.ETag, Stop)).Outcome);
        Assert.Equal(StoreReadOutcome.Unknown, (await _store.ReadAsync("k", Stop)).Outcome);
    }

    [Fact]
    public async Task A_write_that_takes_too_long_or_is_cancelled_under_way_is_unknown()
    {
        using var cancel = new CancellationTokenSource();
        var hasty = new GrainStorageConditionalStore(
            "rows", _storage, new GrainStorageStoreOptions { Timeout = TimeSpan.FromMilliseconds(20) });
        _storage.BeforeWrite = () => Task.Delay(Timeout.Infinite, Stop);
        var late = await hasty.WriteAsync("a", default, null, Stop);
        _storage.BeforeWrite = () =>
        {
            cancel.Cancel();
            return Task.Delay(Timeout.Infinite, Stop);
        };
        var cancelled = await _store.WriteAsync("b", default, null, cancel.Token);

        Assert.Equal((StoreWriteOutcome.Unknown, StoreWriteOutcome.Unknown), (late.Outcome, cancelled.Outcome));
        Assert.Contains("did not answer within", late.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_storage_that_does_not_end_what_is_not_waited_for_any_more_is_asked_no_further_and_that_is_counted()
    {
        const int MaxAbandoned = 2;
        using var counted = new StorageCounts("stuck");
        var options = new GrainStorageStoreOptions { Timeout = TimeSpan.FromMilliseconds(20), MaxAbandonedOperations = MaxAbandoned };
        var store = new GrainStorageConditionalStore("stuck", _storage, options);
        var ending = new TaskCompletionSource();
        for (var i = 0; i < MaxAbandoned; i++)
        {
            _storage.BeforeWrite = () => ending.Task;
            Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync($"k{i}", default, null, Stop)).Outcome);
        }

        var reads = _storage.Reads;
        var write = await store.WriteAsync("k", default, null, Stop);
        var read = await store.ReadAsync("k", Stop);

        Assert.Equal((StoreWriteOutcome.Unknown, StoreReadOutcome.Unknown, reads), (write.Outcome, read.Outcome, _storage.Reads));
        Assert.Contains("MaxAbandonedOperations", write.Reason, StringComparison.Ordinal);
        Assert.Equal((MaxAbandoned, 2), (counted.BoundsHit, counted.Refusals));
        ending.SetResult();
        await Eventually.Is(StoreWriteOutcome.Applied, async () => (await store.WriteAsync("k", default, null, Stop)).Outcome);
    }

    [Fact]
    public async Task A_storage_that_takes_two_keys_for_one_is_found_out()
    {
        _storage.Confuses = true;
        await _store.WriteAsync("a", default, null, Stop);

        var refused = await Assert.ThrowsAsync<GeoStorageException>(async () => await _store.ReadAsync("A", Stop));

        Assert.Contains("'A' and 'a'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_version_just_seen_is_replaced_without_a_read()
    {
        var first = await _store.WriteAsync("k", default, null, Stop);
        var reads = _storage.Reads;

        var second = await _store.WriteAsync("k", default, first.ETag, Stop);

        Assert.Equal((StoreWriteOutcome.Applied, reads), (second.Outcome, _storage.Reads));
    }

    private async Task OverwriteAsync(int times)
    {
        for (var i = 0; i < times; i++)
        {
            var present = await _other.ReadAsync("k", Stop);
            Assert.Equal(StoreWriteOutcome.Applied, (await _other.WriteAsync("k", new byte[] { 9 }, present.ETag, Stop)).Outcome);
        }
    }
}
