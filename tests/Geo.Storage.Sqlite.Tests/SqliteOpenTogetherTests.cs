using SQLitePCL;

namespace Geo.Storage.Sqlite.Tests;

/// <summary>Several that open one new file at a time all get the same store.</summary>
public sealed class SqliteOpenTogetherTests
{
    /// <summary>
    /// Statements before each of which a neighbour makes the file a store: those of the first look, and those of the making.
    /// </summary>
    [Theory]
    [InlineData("PRAGMA application_id")]
    [InlineData("PRAGMA user_version")]
    [InlineData("SELECT count(*) FROM sqlite_master")]
    [InlineData("PRAGMA journal_mode=WAL")]
    [InlineData("BEGIN IMMEDIATE")]
    public async Task A_file_that_a_neighbour_makes_a_store_during_the_look_at_it_is_opened(string moment)
    {
        await using var file = new StoreFile();
        var neighbours = 0;
        using (var connection = OpenTraced(file.Path, statement =>
        {
            if (statement == moment && neighbours++ == 0)
            {
                PrepareUnlessHeld(file.Path);
            }
        }))
        {
            SqliteSchema.Prepare(connection, file.Path);
        }

        Assert.NotEqual(0, neighbours);
        var store = await file.OpenAsync();
        Assert.Equal(
            StoreWriteOutcome.Applied,
            (await store.WriteAsync("key", new byte[] { 1 }, null, TestContext.Current.CancellationToken)).Outcome);
    }

    [Fact]
    public async Task A_database_that_another_application_makes_during_the_look_at_a_new_file_is_refused_and_kept()
    {
        await using var file = new StoreFile();
        byte[] theirs = [];
        using var connection = OpenTraced(file.Path, statement =>
        {
            if (statement == "BEGIN IMMEDIATE" && theirs.Length == 0)
            {
                using var other = Sqlite3.Open(file.Path);
                other.Execute("CREATE TABLE theirs (a)");
                theirs = File.ReadAllBytes(file.Path);
            }
        });

        Assert.Throws<GeoConfigurationException>(() => SqliteSchema.Prepare(connection, file.Path));

        Assert.Equal(theirs, await File.ReadAllBytesAsync(file.Path, TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Many_that_open_a_new_file_at_once_all_open_it()
    {
        for (var round = 0; round < 25; round++)
        {
            await using var file = new StoreFile();
            using var start = new Barrier(6);
            await Task.WhenAll(Enumerable.Range(0, 6).Select(_ => Task.Factory.StartNew(
                () =>
                {
                    start.SignalAndWait();
                    using var connection = Sqlite3.Open(file.Path);
                    SqliteSchema.Prepare(connection, file.Path);
                },
                TestContext.Current.CancellationToken,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default)));
            Assert.Equal("ok", await Sqlite3.IntegrityAsync(file.Path));
        }
    }

    /// <summary>Opens a connection that tells of each statement before it runs.</summary>
    private static SqliteConnection OpenTraced(string path, Action<string> before)
    {
        Batteries_V2.Init();
        Assert.Equal(raw.SQLITE_OK, raw.sqlite3_open_v2(path, out var handle, raw.SQLITE_OPEN_READWRITE | raw.SQLITE_OPEN_CREATE, null));
        raw.sqlite3_trace(handle, (_, statement) => before(statement.Trim()), null);
        return new SqliteConnection(handle, TimeSpan.FromSeconds(20));
    }

    /// <summary>Makes the file a store as another process does; one that finds it held comes later.</summary>
    private static void PrepareUnlessHeld(string path)
    {
        try
        {
            using var neighbour = SqliteConnection.Open(new SqliteStoreOptions { Path = path, BusyTimeout = TimeSpan.Zero }, create: true);
            SqliteSchema.Prepare(neighbour, path);
        }
        catch (SqliteFailure held) when (held.IsBusy)
        {
            // Held by the one that looks at it: nothing comes between its reads.
        }
    }
}
