using Geo.Processes;
using Geo.Processes.Stores;
using TpcwMini.Hosting;
using TpcwMini.Options;

namespace TpcwMini.Clusters;

/// <summary>The role of a silo's process: it serves until the parent says stop or is gone.</summary>
internal static class ClusterRole
{
    /// <summary>The hidden command.</summary>
    public const string Name = "role-cluster";

    public static Task<int> RunAsync() => ChildRole.RunAsync<ClusterSettings>(ServeAsync);

    private static async Task ServeAsync(ParentPipe parent, ClusterSettings settings)
    {
        await using var account = settings.Account is { } address
            ? await AccountClient.ConnectAsync($"{settings.Cluster}-{settings.Silo}", address, settings.StoreLatency, Defaults.StoreTimeout)
            : null;
        await using var silo = await SiloHost.StartAsync(settings, account?.Store);
        parent.Ready(silo.Ports, (SiloQuestion question) => SiloAnswers.AnswerAsync(silo, settings, question));
        await parent.Stop;
    }
}
