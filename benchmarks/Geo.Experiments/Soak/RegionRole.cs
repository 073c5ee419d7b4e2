using Geo.Experiments.Soak.Memory;
using Geo.Experiments.Soak.Shop;
using Geo.Processes;
using Geo.Processes.Stores;
using Geo.Storage.Postgres;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Geo.Experiments.Soak;

/// <summary>A region's process: a silo with the articles. Asked, it says how much memory it uses after a collection.</summary>
internal static class RegionRole
{
    /// <summary>The hidden command.</summary>
    public const string Name = "role-soak-region";

    /// <summary>How long an operation or a call may take: shorter than many a fault, so that outcomes are unknown.</summary>
    public static readonly TimeSpan Timeout = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How many moves of grains a silo remembers to show: so few that its journal is full before its memory is judged. By default it fills
    /// for a quarter of an hour under these faults, which looks like a leak.
    /// </summary>
    public const int JournalSize = 64;

    public static Task<int> RunAsync() => ChildRole.RunAsync<RegionSettings>(ServeAsync);

    private static async Task ServeAsync(ParentPipe parent, RegionSettings settings)
    {
        await using var account = settings.Store.Account is { } address
            ? await AccountClient.ConnectAsync(settings.Cluster, address, TimeSpan.Zero, Timeout)
            : null;
        using var host = Build(settings, account?.Store);
        await host.StartAsync();
        parent.Ready(settings.Cluster, (string _) => Task.FromResult(MemoryUse.OfThisProcess()));
        await parent.Stop;
        await host.StopAsync();
    }

    internal static IHost Build(RegionSettings settings, IConditionalStore? account)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services.AddSingleton<IHostLifetime, ParentLifetime>();
        builder.Logging.AddProvider(new StandardErrorLog());
        builder.UseGeoEmbedded(geo =>
        {
            geo.Configure(silo =>
            {
                silo.ClusterId = settings.Cluster;
                silo.RequestTimeout = Timeout;
                silo.Directory = silo.Directory with { JournalSize = JournalSize };
                silo.ListenOn = $"127.0.0.1:{settings.Port}";
                silo.Gateway = $"127.0.0.1:{settings.GatewayPort}";
                foreach (var (cluster, entries) in settings.Others)
                {
                    silo.Clusters[cluster] = [.. entries];
                }
            });
            geo.AddGrain<SingleStock>().AddGrain<SharedStock>();
            if (settings.Store.Postgres is { } table)
            {
                geo.AddPostgresStore(GeoStorage.Default, table with { Timeout = Timeout });
            }
            else
            {
                geo.AddStore(GeoStorage.Default, _ => account!);
            }
        });
        return builder.Build();
    }
}
