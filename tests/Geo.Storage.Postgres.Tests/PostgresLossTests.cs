using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Text;
using Geo.Processes.Stores;
using Geo.Testing.Wan;
using Npgsql;

namespace Geo.Storage.Postgres.Tests;

/// <summary>What is applied is there once, and what is not applied is not, whatever happens to the server under load.</summary>
[Collection("one server")]
public sealed class PostgresLossTests(PostgresFixture server)
{
    private const int Writers = 8;
    private const string Key = "counter";

    // Far beyond any time-out here, and a busy machine's own delays.
    private static readonly TimeSpan LongestOperation = TimeSpan.FromSeconds(30);

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

    /// <summary>
    /// The way to the server takes 64 KiB each delay and connection: what is small arrives, and its answer comes too late; what is large
    /// does not arrive in time.
    /// </summary>
    [Theory]
    [InlineData(1, 700)]
    [InlineData(256 * 1024, 400)]
    public async Task Writers_on_a_throttled_way_know_nothing_in_bounded_time_and_lose_nothing(int bytes, int delayMs)
    {
        const int most = 16;
        var direct = await server.OptionsAsync();
        var connection = new NpgsqlConnectionStringBuilder(direct.ConnectionString);
        await using var way = DelayedLink.Start(
            new() { Target = new(IPAddress.Loopback, connection.Port), MaxBytesUnderWay = 64 * 1024 });
        connection.Port = way.ListeningOn.Port;
        var throttled = direct with { ConnectionString = connection.ConnectionString, Timeout = TimeSpan.FromSeconds(1) };

        await CountAsync(
            direct, throttled,
            async (applied, unknown) =>
            {
                await applied(20);
                way.OneWayDelay = TimeSpan.FromMilliseconds(delayMs);
                await unknown(most);
                way.OneWayDelay = TimeSpan.Zero;
                await applied(20);
            },
            bytes: bytes);
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

    private static Task CountAsync(PostgresStoreOptions options, Func<Func<int, Task>, Task> trouble, int writers = Writers) =>
        CountAsync(options, options, (applied, _) => trouble(applied), writers);

    /// <summary>
    /// Several writers count up while trouble comes; then the counter is at least what was applied, at most what was tried.
    /// </summary>
    /// <param name="direct">A way to the server that no trouble comes to, for the first and the last look.</param>
    /// <param name="options">The writers'.</param>
    /// <param name="trouble">What happens; it can wait until so many more writes were applied, or operations ended unknown.</param>
    /// <param name="writers">How many.</param>
    /// <param name="bytes">How long a value is, or as long as its number.</param>
    private static async Task CountAsync(
        PostgresStoreOptions direct, PostgresStoreOptions options, Func<Func<int, Task>, Func<int, Task>, Task> trouble,
        int writers = Writers, int bytes = 1)
    {
        // The table is made before trouble comes.
        await (await PostgresConditionalStore.OpenAsync(direct, TestContext.Current.CancellationToken)).DisposeAsync();
        await using var store = new PostgresConditionalStore(options);
        var (applied, unknown) = (0, 0);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        using var progress = new SemaphoreSlim(0);
        using var doubts = new SemaphoreSlim(0);
        var longest = new TimeSpan[writers];
        var writing = Enumerable.Range(0, writers).Select(writer => Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                var began = Stopwatch.GetTimestamp();
                var read = await store.ReadAsync(Key);
                longest[writer] = Longer(longest[writer], Stopwatch.GetElapsedTime(began));
                if (read.Outcome == StoreReadOutcome.Unknown)
                {
                    doubts.Release();
                    await Task.Yield();
                    continue;
                }

                began = Stopwatch.GetTimestamp();
                var write = await store.WriteAsync(Key, Written(Number(read) + 1, bytes), read.ETag);
                longest[writer] = Longer(longest[writer], Stopwatch.GetElapsedTime(began));
                if (write.Outcome == StoreWriteOutcome.Applied)
                {
                    Interlocked.Increment(ref applied);
                    progress.Release();
                }
                else if (write.Outcome == StoreWriteOutcome.Unknown)
                {
                    Interlocked.Increment(ref unknown);
                    doubts.Release();
                }
            }
        })).ToArray();
        await trouble(
            more => ManyAsync(progress, more, "Nothing was applied for two minutes."),
            more => ManyAsync(doubts, more, "Nothing was unknown for two minutes."));
        await stop.CancelAsync();
        await Task.WhenAll(writing).WaitAsync(TimeSpan.FromMinutes(2), TestContext.Current.CancellationToken);

        await using var fresh = await PostgresConditionalStore.OpenAsync(direct, TestContext.Current.CancellationToken);
        var found = Number(await fresh.ReadAsync(Key, TestContext.Current.CancellationToken));
        Assert.InRange(found, applied, applied + unknown);
        Assert.InRange(longest.Max(), TimeSpan.Zero, Longer(LongestOperation, options.Timeout * 2));
    }

    private static async Task ManyAsync(SemaphoreSlim what, int more, string orElse)
    {
        for (var i = 0; i < more; i++)
        {
            Assert.True(await what.WaitAsync(TimeSpan.FromMinutes(2)), orElse);
        }
    }

    private static TimeSpan Longer(TimeSpan one, TimeSpan other) => one > other ? one : other;

    private static byte[] Written(int number, int bytes) =>
        Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture).PadLeft(bytes, '0'));

    private static int Number(StoreRead read) =>
        read.Outcome == StoreReadOutcome.Found ? int.Parse(read.Value.Span, NumberStyles.None, CultureInfo.InvariantCulture) : 0;
}
