using Microsoft.Extensions.DependencyInjection;
using TpcwMini.Commands;
using TpcwMini.Processes;

namespace TpcwMini.Clusters;

/// <summary>The role of a cluster's process: one silo, until the parent says stop or is gone.</summary>
internal static class ClusterRole
{
    /// <summary>The hidden command.</summary>
    public const string Name = "role-cluster";

    public static async Task<int> RunAsync()
    {
        var (parent, settings) = ParentPipe.Open<ClusterSettings>();
        using var host = SiloHost.Build(settings);
        try
        {
            await host.StartAsync();
        }
        catch (GeoException error)
        {
            parent.Failed(error.Message);
            return ExitCodes.Refused;
        }

        var silo = host.Services.GetRequiredService<IGeoSilo>();
        parent.Ready(
            new ClusterPorts(silo.ListeningOn?.ToString() ?? "", silo.GatewayOn?.ToString() ?? ""),
            () => silo.ActivationCount);
        await parent.Stop;
        await host.StopAsync();
        return ExitCodes.Passed;
    }
}
