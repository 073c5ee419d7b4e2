using System.Text;

namespace Geo.Storage.Sqlite.Tests;

/// <summary>A list of many rows reads page by page, each in a short transaction of its own.</summary>
public sealed class SqliteListTests
{
    private const int Entries = 5000;

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_list_under_way_keeps_no_transaction_open_so_that_the_log_can_be_emptied_beside_it()
    {
        await using var file = new StoreFile();
        var store = await file.OpenAsync();
        await FillAsync(store);
        await using var list = store.ListAsync("k", Stop).GetAsyncEnumerator(Stop);
        Assert.True(await list.MoveNextAsync());
        await FillAsync(store, "l");

        // Busy is 0 only when no reader holds a part of the log.
        using var other = Sqlite3.Open(file.Path);
        Assert.Equal(0, other.ReadNumber("PRAGMA wal_checkpoint(TRUNCATE)"));
        Assert.Equal(0, new FileInfo(file.Path + "-wal").Length);

        var listed = 1;
        while (await list.MoveNextAsync())
        {
            listed++;
        }

        Assert.Equal(Entries, listed);
    }

    [Fact]
    public async Task A_list_under_way_shows_what_is_written_beyond_the_page_it_is_at()
    {
        await using var file = new StoreFile();
        var store = await file.OpenAsync();
        await FillAsync(store);
        var seen = new List<string>();

        await foreach (var entry in store.ListAsync("k", Stop))
        {
            if (seen.Count == 0)
            {
                await store.WriteAsync("k99999", new byte[] { 1 }, null, Stop);
            }

            seen.Add(entry.Key);
        }

        Assert.Equal(Entries + 1, seen.Count);
        Assert.Equal("k99999", seen[^1]);
    }

    [Fact]
    public async Task A_page_is_found_by_the_key_and_not_by_looking_at_the_rows_before_it()
    {
        await using var file = new StoreFile();
        await file.OpenAsync();
        using var other = Sqlite3.Open(file.Path);
        using var plan = other.Prepare("EXPLAIN QUERY PLAN " + ReadStatements.PageSql);

        Assert.True(plan.Step());
        Assert.Matches("SEARCH .*USING PRIMARY KEY \\(key>\\? AND key<\\?\\)", Encoding.UTF8.GetString(plan.Bytes(3)));
        Assert.False(plan.Step());
    }

    private static async Task FillAsync(SqliteConditionalStore store, string prefix = "k")
    {
        foreach (var some in Enumerable.Range(0, Entries).Chunk(500))
        {
            var written = await Task.WhenAll(some.Select(i => store.WriteAsync($"{prefix}{i:00000}", new byte[50], null, Stop).AsTask()));
            Assert.All(written, w => Assert.Equal(StoreWriteOutcome.Applied, w.Outcome));
        }
    }
}
