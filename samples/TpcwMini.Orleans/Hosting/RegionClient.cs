using System.Net;
using Geo.Orleans;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;

namespace TpcwMini.Hosting;

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
        builder.UseOrleansClient(client =>
        {
            client.UseStaticClustering([.. gateways.Select(IPEndPoint.Parse)]);
            client.Configure<ClusterOptions>(options => (options.ServiceId, options.ClusterId) = (SiloHost.ServiceId, cluster));
            client.Configure<ClientMessagingOptions>(options => options.ResponseTimeout = callTimeout);
            client.UseGeo();
        });
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
