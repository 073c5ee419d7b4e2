using Geo.Processes.Stores;

namespace Geo.Storage.Postgres.Tests;

/// <summary>What docs/operations.md says of backing a shared store up and restoring it, on a server of its own.</summary>
public sealed class PostgresBackupTests
{
    private const string Backup = "shop.dump";

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_store_is_restored_as_it_was_when_it_was_backed_up_and_goes_on()
    {
        Assert.SkipUnless(PostgresServer.Absence is null, PostgresServer.Absence ?? "");
        await using var server = await PostgresServer.StartAsync();
        var options = server.Options("versions");
        ETag identity, changed;
        await using (var before = await PostgresConditionalStore.OpenAsync(options, Stop))
        {
            identity = await WriteAsync(before, "geo/identity", 1, null);
            changed = await WriteAsync(before, "changed", 1, null);
            await server.BackUpAsync(Backup);
            await WriteAsync(before, "changed", 2, changed);
            await WriteAsync(before, "added", 1, null);
        }

        await server.RestoreAsync(Backup);

        await using var store = await PostgresConditionalStore.OpenAsync(options, Stop);
        Assert.Equal((identity, 1), await ReadAsync(store, "geo/identity"));
        Assert.Equal((changed, 1), await ReadAsync(store, "changed"));
        Assert.Null((await store.ReadAsync("added", Stop)).ETag);
        var next = await WriteAsync(store, "changed", 3, changed);
        Assert.NotEqual(changed, next);
        Assert.Equal((next, 3), await ReadAsync(store, "changed"));
    }

    private static async Task<ETag> WriteAsync(PostgresConditionalStore store, string key, byte value, ETag? expected)
    {
        var written = await store.WriteAsync(key, new[] { value }, expected, Stop);
        Assert.Equal(StoreWriteOutcome.Applied, written.Outcome);
        return written.ETag!.Value;
    }

    private static async Task<(ETag ETag, byte Value)> ReadAsync(PostgresConditionalStore store, string key)
    {
        var read = await store.ReadAsync(key, Stop);
        return (read.ETag!.Value, read.Value.Span[0]);
    }
}
