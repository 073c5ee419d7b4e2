using System.Net;
using Geo.Directory;
using Geo.Orleans;
using Geo.Processes;
using Geo.Storage.Sqlite;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;
using TpcwMini.Clusters;
using TpcwMini.Grains;
using TpcwMini.Options;

namespace TpcwMini.Hosting;

/// <summary>
/// A silo in this process. Its start-up lines are the only ones, beside the global usings, that name the host. Nothing here depends on the
/// variant but the classes that serve carts and items, and the read policy.
/// </summary>
internal sealed class SiloHost : IAsyncDisposable
{
    public const string ServiceId = "tpcw-mini";

    // A silo is found dead within seconds, and not for a pause on a machine whose processors are all busy.
    private static readonly TimeSpan ProbeTimeout = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan Lease = TimeSpan.FromSeconds(3);

    private readonly IHost _host;
    private readonly IAsyncDisposable? _directory;
    private readonly IGeoSilo _silo;
    private readonly IReadOnlyList<int> _ports;

    private SiloHost(IHost host, IAsyncDisposable? directory, IReadOnlyList<int> ports) =>
        (_host, _directory, _ports, _silo) = (host, directory, ports, host.Services.GetRequiredService<IGeoSilo>());

    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    public ClusterPorts Ports => new(_silo.ListeningOn?.ToString() ?? "", $"127.0.0.1:{_ports[1]}", $"127.0.0.1:{_ports[0]}");

    /// <summary>The clusters, and what an administrator may do about them.</summary>
    public IGeoConfiguration Configuration => _silo.Configuration!;

    public bool IsLinkedTo(string cluster) => _silo.IsLinkedTo(new ClusterId(cluster));

    public static async Task<SiloHost> StartAsync(
        ClusterSettings settings, IConditionalStore? store, CancellationToken cancellationToken = default)
    {
        var file = settings.DirectoryFile is { } path
            ? await SqliteConditionalStore.OpenAsync(
                new SqliteStoreOptions { Path = path, Durability = SqliteDurability.Normal }, cancellationToken)
            : null;
        var ports = FreePorts.Take(2);
        var host = Build(settings, ports, (IConditionalStore?)file ?? new InMemoryConditionalStore(), store);
        try
        {
            await host.StartAsync(cancellationToken);
            return new SiloHost(host, file, ports);
        }
        catch
        {
            host.Dispose();
            if (file is not null)
            {
                await file.DisposeAsync();
            }

            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
        if (_directory is not null)
        {
            await _directory.DisposeAsync();
        }
    }

    private static IHost Build(ClusterSettings settings, IReadOnlyList<int> ports, IConditionalStore directory, IConditionalStore? store)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging.AddProvider(new StandardErrorLog()).SetMinimumLevel(LogLevel.Warning);

        // Its warning at each start advises the server's garbage collector, which several processes on one machine are better off without.
        builder.Logging.AddFilter("Orleans.Runtime.Silo", LogLevel.Error);
        builder.Services.AddSingleton(new ItemReads(settings.Variant.Reads == ReadPolicy.Lin));
        builder.UseOrleans(silo =>
        {
            silo.UseLocalhostClustering(
                ports[0], ports[1], settings.FirstSilo is { } first ? IPEndPoint.Parse(first) : null, ServiceId, settings.Cluster);
            silo.Configure<SiloMessagingOptions>(options => options.ResponseTimeout = Defaults.CallTimeout);
            silo.Configure<ClusterMembershipOptions>(options => options.ProbeTimeout = options.MinProbeTimeout = ProbeTimeout);
            silo.Services.PostConfigure<GrainTypeOptions>(types =>
            {
                types.Classes.RemoveWhere(type => type.Assembly == typeof(CartGrain).Assembly);
                types.Classes.UnionWith(ServedClasses.Of(settings.Variant, settings.Mode));
            });
            silo.UseGeo(geo =>
            {
                geo.UseRowStore(_ => directory);
                geo.Configure(options =>
                {
                    options.ClusterId = settings.Cluster;
                    options.ConfigurationStore = settings.IsLive ? GeoStorage.Default : null;
                    options.CallTimeout = Defaults.CallTimeout;
                    options.LeaseDuration = Lease;
                    options.ListenOn = settings.Listens ? $"127.0.0.1:{settings.Port}" : null;
                    foreach (var (cluster, entries) in settings.Others)
                    {
                        options.Clusters[cluster] = [.. entries];
                    }
                });
                geo.AddMajorityStore(settings);
                geo.AddVolatileGrainStorage(GeoStorage.Volatile);
                if (store is not null)
                {
                    geo.AddStore(GeoStorage.Default, _ => store).AddSharedGrainStorage(GeoStorage.Default);
                }
            });
        });
        return builder.Build();
    }
}
