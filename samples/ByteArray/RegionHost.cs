using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace ByteArraySample;

/// <summary>A region's silo in this process. Its start-up lines and the global usings are all that names the host.</summary>
public sealed class RegionHost : IAsyncDisposable
{
    private readonly IHost _host;
    private readonly IGeoSilo _silo;

    private RegionHost(IHost host) => (_host, _silo) = (host, host.Services.GetRequiredService<IGeoSilo>());

    /// <summary>The region's grains.</summary>
    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    /// <summary>Where other regions find it.</summary>
    public string Address => _silo.ListeningOn!.ToString()!;

    /// <param name="name">The region.</param>
    /// <param name="other">The other one.</param>
    /// <param name="address">Where that is; null for the region that is called.</param>
    /// <param name="store">What keeps persistent arrays.</param>
    public static async Task<RegionHost> StartAsync(string name, string other, string? address, IConditionalStore store)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.UseGeoEmbedded(geo =>
        {
            geo.Configure(silo =>
            {
                (silo.ClusterId, silo.ListenOn) = (name, "127.0.0.1:0");
                silo.Clusters[other] = address is null ? [] : [address];
            });
            geo.AddGrains(typeof(IByteArray).Assembly).AddStore(GeoStorage.Default, _ => store);
        });
        var host = builder.Build();
        await host.StartAsync();
        return new RegionHost(host);
    }

    /// <summary>True while the other region can be reached.</summary>
    public bool IsLinkedTo(string cluster) => _silo.IsLinkedTo(new ClusterId(cluster));

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
    }
}
