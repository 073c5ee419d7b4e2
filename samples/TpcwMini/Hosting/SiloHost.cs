using Geo.Directory;
using Geo.Processes;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
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
    private readonly IHost _host;
    private readonly IGeoSilo _silo;

    private SiloHost(IHost host) => (_host, _silo) = (host, host.Services.GetRequiredService<IGeoSilo>());

    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    public ClusterPorts Ports => new(_silo.ListeningOn?.ToString() ?? "", _silo.GatewayOn?.ToString() ?? "");

    /// <summary>The clusters, and what an administrator may do about them.</summary>
    public IGeoConfiguration Configuration => _silo.Configuration!;

    public bool IsLinkedTo(string cluster) => _silo.IsLinkedTo(new ClusterId(cluster));

    public static async Task<SiloHost> StartAsync(
        ClusterSettings settings, IConditionalStore? store, CancellationToken cancellationToken = default)
    {
        var host = Build(settings, store);
        try
        {
            await host.StartAsync(cancellationToken);
            return new SiloHost(host);
        }
        catch
        {
            host.Dispose();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
    }

    private static IHost Build(ClusterSettings settings, IConditionalStore? store)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging.AddProvider(new StandardErrorLog()).SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddSingleton(new ItemReads(settings.Variant.Reads == ReadPolicy.Lin));
        builder.UseGeoEmbedded(geo =>
        {
            geo.Configure(silo =>
            {
                silo.ClusterId = settings.Cluster;
                silo.ConfigurationStore = settings.IsLive ? GeoStorage.Default : null;
                silo.RequestTimeout = Defaults.CallTimeout;
                silo.ListenOn = settings.Listens ? $"127.0.0.1:{settings.Port}" : null;
                silo.Gateway = settings.Listens ? $"127.0.0.1:{settings.GatewayPort}" : null;
                foreach (var (cluster, entries) in settings.Others)
                {
                    silo.Clusters[cluster] = [.. entries];
                }
            });
            foreach (var grainClass in ServedClasses.Of(settings.Variant, settings.Mode))
            {
                geo.AddGrain(grainClass);
            }

            geo.AddMajorityStore(settings);
            if (store is not null)
            {
                geo.AddStore(GeoStorage.Default, _ => store);
            }
        });
        return builder.Build();
    }
}
