using TpcwMini.Hosting;
using TpcwMini.Processes;
using TpcwMini.Store;

namespace TpcwMini.Clusters;

/// <summary>The role of a silo's process: it serves until the parent says stop or is gone.</summary>
internal static class ClusterRole
{
    /// <summary>The hidden command.</summary>
    public const string Name = "role-cluster";

    public static Task<int> RunAsync() => Role.RunAsync<ClusterSettings>(ServeAsync);

    private static async Task ServeAsync(ParentPipe parent, ClusterSettings settings)
    {
        await using var account = settings.Account is { } address
            ? await AccountClient.ConnectAsync($"{settings.Cluster}-{settings.Silo}", address, settings.StoreLatency)
            : null;
        await using var silo = await SiloHost.StartAsync(settings, account?.Store);
        parent.Ready(silo.Ports, () => settings.Others.Keys.Where(silo.IsLinkedTo));
        await parent.Stop;
    }
}
