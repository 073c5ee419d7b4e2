using Geo.Experiments.Regions;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;

namespace ByteArraySample;

/// <summary>A region's silo in this process; samples/ByteArray has the same on the embedded host.</summary>
internal sealed class RegionHost : IAsyncDisposable
{
    private const string ServiceId = "byte-array";

    private readonly IHost _host;
    private readonly IGeoSilo _silo;

    private RegionHost(IHost host) => (_host, _silo) = (host, host.Services.GetRequiredService<IGeoSilo>());

    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    public string Address => _silo.ListeningOn!.ToString()!;

    public static async Task<RegionHost> StartAsync(string name, string other, string? address, IConditionalStore store)
    {
        var ports = FreePorts.Take(2);
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);

        // These need a store that the regions keep by majority.
        builder.Services.PostConfigure<GrainTypeOptions>(
            types => types.Classes.RemoveWhere(type => type.Namespace == typeof(Ledger).Namespace));
        builder.UseOrleans(silo => silo
            .UseLocalhostClustering(ports[0], ports[1], null, ServiceId, name)
            .UseGeo(geo => geo
                .UseRowStore(_ => new InMemoryConditionalStore())
                .AddVolatileGrainStorage(GeoStorage.Volatile)
                .AddStore(GeoStorage.Default, _ => store)
                .AddSharedGrainStorage(GeoStorage.Default)
                .Configure(options =>
                {
                    (options.ClusterId, options.ListenOn) = (name, "127.0.0.1:0");
                    options.Clusters[other] = address is null ? [] : [address];
                })));
        var host = builder.Build();
        await host.StartAsync();
        return new RegionHost(host);
    }

    public bool IsLinkedTo(string cluster) => _silo.IsLinkedTo(new ClusterId(cluster));

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
    }
}
