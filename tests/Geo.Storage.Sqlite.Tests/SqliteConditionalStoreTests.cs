namespace Geo.Storage.Sqlite.Tests;

public sealed class SqliteConditionalStoreTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(SqliteDurability.Full)]
    [InlineData(SqliteDurability.Normal)]
    public async Task What_was_applied_is_there_when_the_store_opens_again_and_etags_go_on(SqliteDurability durability)
    {
        await using var file = new StoreFile();
        var first = await file.OpenAsync(o => o with { Durability = durability });
        var kept = await first.WriteAsync("kept", new byte[] { 1 }, null, Stop);
        var gone = await first.WriteAsync("gone", new byte[] { 2 }, null, Stop);
        await first.DeleteAsync("gone", gone.ETag!.Value, Stop);
        await first.DisposeAsync();

        var second = await file.OpenAsync();
        var read = await second.ReadAsync("kept", Stop);
        var again = await second.WriteAsync("gone", new byte[] { 3 }, null, Stop);

        Assert.Equal((StoreReadOutcome.Found, kept.ETag), (read.Outcome, read.ETag));
        Assert.NotEqual(gone.ETag, again.ETag);
        Assert.Equal(StoreWriteOutcome.Applied, again.Outcome);
    }

    [Fact]
    public async Task A_value_over_the_limit_is_refused_and_changes_nothing()
    {
        await using var file = new StoreFile();
        var store = await file.OpenAsync(o => o with { MaxValueBytes = 3 });
        var kept = await store.WriteAsync("k", new byte[3], null, Stop);

        var refused = await Assert.ThrowsAsync<GeoStorageException>(async () => await store.WriteAsync("k", new byte[4], kept.ETag, Stop));

        Assert.Contains("The value for 'k' has 4 bytes", refused.Message, StringComparison.Ordinal);
        Assert.Equal(kept.ETag, (await store.ReadAsync("k", Stop)).ETag);
    }

    [Fact]
    public async Task A_write_is_unknown_while_another_process_holds_the_file_and_reads_go_on()
    {
        await using var file = new StoreFile();
        var store = await file.OpenAsync(o => o with { BusyTimeout = TimeSpan.FromMilliseconds(50) });
        var kept = await store.WriteAsync("k", new byte[] { 1 }, null, Stop);
        using var other = Sqlite3.Open(file.Path);
        other.Execute("BEGIN IMMEDIATE");

        var write = await store.WriteAsync("k", new byte[] { 2 }, kept.ETag, Stop);
        var read = await store.ReadAsync("k", Stop);
        other.Execute("ROLLBACK");
        var after = await store.WriteAsync("k", new byte[] { 3 }, kept.ETag, Stop);

        Assert.Equal(StoreWriteOutcome.Unknown, write.Outcome);
        Assert.Contains("another process held the SQLite file", write.Reason, StringComparison.Ordinal);
        Assert.Equal(kept.ETag, read.ETag);
        Assert.Equal(StoreWriteOutcome.Applied, after.Outcome);
    }

    [Fact]
    public async Task A_write_waits_for_another_process_within_the_busy_time_out()
    {
        await using var file = new StoreFile();
        var store = await file.OpenAsync();
        await store.ReadAsync("k", Stop);
        using var other = Sqlite3.Open(file.Path);
        other.Execute("BEGIN IMMEDIATE");

        var write = store.WriteAsync("k", new byte[] { 2 }, null, Stop).AsTask();
        Assert.False(write.IsCompleted);
        other.Execute("COMMIT");

        Assert.Equal(StoreWriteOutcome.Applied, (await write).Outcome);
    }

    [Fact]
    public async Task What_stands_behind_a_full_queue_is_unknown_and_without_effect()
    {
        await using var file = new StoreFile();
        var store = await file.OpenAsync(o => o with { MaxQueued = 2, MaxBatch = 1 });
        using var other = Sqlite3.Open(file.Path);
        other.Execute("BEGIN IMMEDIATE");

        var writes = Enumerable.Range(0, 10).Select(i => store.WriteAsync($"k{i}", new byte[] { 1 }, null, Stop).AsTask()).ToArray();
        other.Execute("ROLLBACK");
        var ends = await Task.WhenAll(writes);

        Assert.InRange(ends.Count(e => e.Outcome == StoreWriteOutcome.Applied), 2, 3);
        for (var i = 0; i < ends.Length; i++)
        {
            var applied = ends[i].Outcome == StoreWriteOutcome.Applied;
            Assert.True(applied || ends[i].Reason == "2 writes are waiting for the SQLite file already");
            Assert.Equal(applied, (await store.ReadAsync($"k{i}", Stop)).Outcome == StoreReadOutcome.Found);
        }
    }

    [Fact]
    public async Task A_write_cancelled_while_it_waits_has_no_effect_and_one_cancelled_later_is_unknown()
    {
        await using var file = new StoreFile();
        var store = await file.OpenAsync(o => o with { MaxBatch = 1 });
        using var other = Sqlite3.Open(file.Path);
        other.Execute("BEGIN IMMEDIATE");
        using var cancel = new CancellationTokenSource();

        // The first is begun at some time and waits for the file; all others wait in the queue behind it.
        var writes = Enumerable.Range(0, 3).Select(i => store.WriteAsync($"k{i}", new byte[] { 1 }, null, cancel.Token).AsTask()).ToArray();
        await cancel.CancelAsync();
        var first = await Task.WhenAny(writes[0]);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => writes[2]);
        other.Execute("ROLLBACK");
        await store.WriteAsync("last", new byte[] { 1 }, null, Stop);

        Assert.True(first.IsCanceled || first.Result.Outcome == StoreWriteOutcome.Unknown);
        Assert.Equal(StoreReadOutcome.NotFound, (await store.ReadAsync("k2", Stop)).Outcome);
        Assert.Equal(first.IsCanceled, (await store.ReadAsync("k0", Stop)).Outcome == StoreReadOutcome.NotFound);
    }

    [Fact]
    public async Task Writes_of_one_batch_to_one_key_see_each_other()
    {
        await using var file = new StoreFile();
        var store = await file.OpenAsync();
        using var other = Sqlite3.Open(file.Path);
        other.Execute("BEGIN IMMEDIATE");

        var writes = Enumerable.Range(0, 20).Select(i => store.WriteAsync("k", new[] { (byte)i }, null, Stop).AsTask()).ToArray();
        other.Execute("ROLLBACK");
        var ends = await Task.WhenAll(writes);

        Assert.Equal(StoreWriteOutcome.Applied, ends[0].Outcome);
        Assert.All(ends[1..], e => Assert.Equal(StoreWriteOutcome.Conflict, e.Outcome));
    }

    [Fact]
    public async Task A_list_goes_on_over_many_pages()
    {
        await using var file = new StoreFile();
        var store = await file.OpenAsync(o => o with { Durability = SqliteDurability.Normal });
        await Task.WhenAll(Enumerable.Range(0, 1000).Select(i => store.WriteAsync($"p/{i:d4}", new[] { (byte)i }, null, Stop).AsTask()));
        await store.WriteAsync("p0", default, null, Stop);

        var listed = new List<string>();
        await foreach (var entry in store.ListAsync("p/", Stop))
        {
            listed.Add(entry.Key);
        }

        Assert.Equal(Enumerable.Range(0, 1000).Select(i => $"p/{i:d4}"), listed);
    }

    [Fact]
    public async Task Disposing_ends_what_is_queued_and_refuses_more()
    {
        await using var file = new StoreFile();
        var store = await file.OpenAsync();
        var writes = Enumerable.Range(0, 50).Select(i => store.WriteAsync($"k{i}", new byte[] { 1 }, null, Stop).AsTask()).ToArray();

        await store.DisposeAsync();

        Assert.All(await Task.WhenAll(writes), e => Assert.Equal(StoreWriteOutcome.Applied, e.Outcome));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.ReadAsync("k0", Stop));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await store.WriteAsync("k0", default, null, Stop));
    }

    [Fact]
    public async Task A_file_that_turns_bad_under_the_store_makes_outcomes_unknown()
    {
        await using var file = new StoreFile();
        var store = await file.OpenAsync();
        using (var other = Sqlite3.Open(file.Path))
        {
            other.Execute("DROP TABLE entries");
        }

        Assert.Equal(StoreReadOutcome.Unknown, (await store.ReadAsync("k", Stop)).Outcome);
        Assert.Equal(StoreWriteOutcome.Unknown, (await store.WriteAsync("k", default, null, Stop)).Outcome);
        await Assert.ThrowsAsync<GeoUnavailableException>(
            async () => await store.ListAsync("", Stop).GetAsyncEnumerator(Stop).MoveNextAsync());
    }
}
