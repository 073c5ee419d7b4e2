using Microsoft.Extensions.DependencyInjection;
using TpcwMini.Processes;
using TpcwMini.Store;

namespace TpcwMini.Clusters;

/// <summary>The role of a cluster's process: one silo, until the parent says stop or is gone.</summary>
internal static class ClusterRole
{
    /// <summary>The hidden command.</summary>
    public const string Name = "role-cluster";

    public static Task<int> RunAsync() => Role.RunAsync<ClusterSettings>(ServeAsync);

    private static async Task ServeAsync(ParentPipe parent, ClusterSettings settings)
    {
        await using var account = settings.Account is { } address
            ? await AccountClient.ConnectAsync(settings.Cluster, address, settings.StoreLatency)
            : null;
        using var host = SiloHost.Build(settings, account?.Store);
        await host.StartAsync();
        var silo = host.Services.GetRequiredService<IGeoSilo>();
        parent.Ready(
            new ClusterPorts(silo.ListeningOn?.ToString() ?? "", silo.GatewayOn?.ToString() ?? ""),
            () => settings.Others.Keys.Where(other => silo.IsLinkedTo(new ClusterId(other))));
        await parent.Stop;
        await host.StopAsync();
    }
}
