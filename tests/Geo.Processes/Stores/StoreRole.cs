using Geo.Messaging;
using Geo.Storage.Sqlite;
using Geo.Testing.Storage;
using Microsoft.Extensions.Logging;

namespace Geo.Processes.Stores;

/// <summary>
/// The role of the storage account's process: a conditional store that serves so many operations a second and makes the rest wait in
/// line, as a cloud account does.
/// </summary>
public static class StoreRole
{
    /// <summary>The hidden command.</summary>
    public const string Name = "role-store";

    /// <summary>Serves until the parent says stop or is gone.</summary>
    public static Task<int> RunAsync() => ChildRole.RunAsync<StoreSettings>(ServeAsync);

    private static async Task ServeAsync(ParentPipe parent, StoreSettings settings)
    {
        using var temporary = new TemporaryFolder();
        var values = settings.Store == StoreKind.Sqlite
            ? await SqliteConditionalStore.OpenAsync(new SqliteStoreOptions { Path = settings.Path ?? temporary.File("store.db") })
            : (IConditionalStore)new InMemoryConditionalStore();
        await using var closing = values as IAsyncDisposable;
        using var account = new RateLimitedConditionalStore(
            values,
            new RateLimitOptions { OperationsPerSecond = settings.OperationsPerSecond, MaxQueued = settings.MaxQueued },
            TimeProvider.System);
        using var logs = LoggerFactory.Create(logging => logging.AddProvider(new StandardErrorLog()).SetMinimumLevel(LogLevel.Warning));
        await using var node = new MessagingNode(
            new MessagingOptions { Peer = new PeerId("storage-account"), ListenOn = PeerAddress.Loopback(settings.Port) },
            TimeProvider.System, logs);
        using var service = new StorageAccountService(node, account);
        await node.StartAsync();
        parent.Ready(node.ListeningOn!.ToString()!, (string _) => Task.FromResult(account.Served));
        await parent.Stop;
    }
}
