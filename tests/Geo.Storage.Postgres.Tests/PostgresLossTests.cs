using System.Globalization;
using System.Text;
using Geo.Processes.Stores;

namespace Geo.Storage.Postgres.Tests;

/// <summary>What is applied is there once, and what is not applied is not, whatever happens to the server under load.</summary>
[Collection("one server")]
public sealed class PostgresLossTests(PostgresFixture server)
{
    private const int Writers = 8;
    private const string Key = "counter";

    [Fact]
    public async Task Nothing_applied_is_lost_when_the_server_is_killed_and_starts_again() => await CountAsync(
        await server.OptionsAsync(),
        async applied =>
        {
            await applied(20);
            await server.KillAsync();
            await server.RestartAsync();
            await applied(20);
        });

    [Fact]
    public async Task Nothing_applied_is_lost_when_connections_are_cut() => await CountAsync(
        await server.OptionsAsync(),
        async applied =>
        {
            for (var i = 0; i < 5; i++)
            {
                await applied(10);
                await server.CutAsync();
            }

            await applied(10);
        });

    [Fact]
    public async Task Writers_that_find_no_connection_free_know_nothing_and_lose_nothing()
    {
        // More than the server takes: it turns some away, whose outcome is unknown, and serves the others.
        var options = await server.OptionsAsync();
        var greedy = options with { ConnectionString = $"{options.ConnectionString};Maximum Pool Size=40" };

        await CountAsync(greedy, applied => applied(60), writers: 3 * PostgresServer.MaxConnections);
    }

    [Fact]
    public async Task A_store_whose_server_is_away_knows_nothing_and_works_once_it_is_there()
    {
        var token = TestContext.Current.CancellationToken;
        var options = await server.OptionsAsync() with { Timeout = TimeSpan.FromSeconds(10) };
        await server.KillAsync();
        await using var store = new PostgresConditionalStore(options);
        var write = await store.WriteAsync(Key, new byte[1], null, TestContext.Current.CancellationToken);
        var read = await store.ReadAsync(Key, TestContext.Current.CancellationToken);
        var listed = await Assert.ThrowsAsync<GeoUnavailableException>(
            () => store.ListAsync("", token).ToListAsync(token).AsTask());
        var opened = await Assert.ThrowsAsync<GeoUnavailableException>(
            () => PostgresConditionalStore.OpenAsync(options, TestContext.Current.CancellationToken));
        await server.RestartAsync();

        Assert.Equal(StoreWriteOutcome.Unknown, write.Outcome);
        Assert.Equal(StoreReadOutcome.Unknown, read.Outcome);
        Assert.Contains(options.Table, listed.Message + opened.Message);
        Assert.Equal(StoreReadOutcome.NotFound, (await store.ReadAsync(Key, TestContext.Current.CancellationToken)).Outcome);
    }

    /// <summary>
    /// Several writers count up while trouble comes; then the counter is at least what was applied, at most what was tried.
    /// </summary>
    private static async Task CountAsync(PostgresStoreOptions options, Func<Func<int, Task>, Task> trouble, int writers = Writers)
    {
        await using var store = await PostgresConditionalStore.OpenAsync(options, TestContext.Current.CancellationToken);
        var (applied, unknown) = (0, 0);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var progress = new SemaphoreSlim(0);
        var writing = Enumerable.Range(0, writers).Select(_ => Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                var read = await store.ReadAsync(Key);
                if (read.Outcome == StoreReadOutcome.Unknown)
                {
                    await Task.Yield();
                    continue;
                }

                var write = await store.WriteAsync(Key, Written(Number(read) + 1), read.ETag);
                if (write.Outcome == StoreWriteOutcome.Applied)
                {
                    Interlocked.Increment(ref applied);
                    progress.Release();
                }
                else if (write.Outcome == StoreWriteOutcome.Unknown)
                {
                    Interlocked.Increment(ref unknown);
                }
            }
        })).ToArray();
        await trouble(async more =>
        {
            for (var i = 0; i < more; i++)
            {
                Assert.True(await progress.WaitAsync(TimeSpan.FromMinutes(2)), "Nothing was applied for two minutes.");
            }
        });
        await stop.CancelAsync();
        await Task.WhenAll(writing);

        await using var fresh = await PostgresConditionalStore.OpenAsync(options, TestContext.Current.CancellationToken);
        var found = Number(await fresh.ReadAsync(Key, TestContext.Current.CancellationToken));
        Assert.InRange(found, applied, applied + unknown);
    }

    private static byte[] Written(int number) => Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture));

    private static int Number(StoreRead read) =>
        read.Outcome == StoreReadOutcome.Found ? int.Parse(read.Value.Span, NumberStyles.None, CultureInfo.InvariantCulture) : 0;
}
