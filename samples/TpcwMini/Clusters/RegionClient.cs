using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using TpcwMini.Hosting;

namespace TpcwMini.Clusters;

/// <summary>The client of one region's robots, connected to that region's gateways and no other.</summary>
internal sealed class RegionClient : IAsyncDisposable
{
    private readonly IHost _host;

    private RegionClient(IHost host) => (_host, Grains) = (host, host.Services.GetRequiredService<IGrainFactory>());

    public IGrainFactory Grains { get; }

    public static async Task<RegionClient> ConnectAsync(
        string cluster, IReadOnlyList<string> gateways, TimeSpan callTimeout, CancellationToken cancellationToken)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging.SetMinimumLevel(LogLevel.None);
        ThisHost.AddClient(builder, cluster, gateways, callTimeout);
        var host = builder.Build();
        await host.StartAsync(cancellationToken);
        return new RegionClient(host);
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
    }
}
