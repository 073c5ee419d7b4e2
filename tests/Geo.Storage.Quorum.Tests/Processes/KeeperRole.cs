using Geo.Processes;
using Geo.Storage.Sqlite;

namespace Geo.Storage.Quorum.Tests;

/// <summary>This program as a cluster that keeps its part of the values in a SQLite file, and does nothing else.</summary>
internal static class KeeperRole
{
    public const string Name = "role-keeper";

    public static Task<int> RunAsync() => ChildRole.RunAsync<KeeperSettings>(ServeAsync);

    private static async Task ServeAsync(ParentPipe parent, KeeperSettings settings)
    {
        await using var links = await KeeperLinks.StartAsync(settings.Cluster, settings.Ports);
        await using var store = new QuorumConditionalStore(
            KeeperProcesses.Configuration, await SqliteConditionalStore.OpenAsync(new SqliteStoreOptions { Path = settings.File }));
        using var part = store.Join(links.Messenger);
        parent.Ready(settings.Cluster);
        await parent.Stop;
    }
}
