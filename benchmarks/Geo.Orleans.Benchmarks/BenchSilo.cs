using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Geo.Orleans.Benchmarks;

/// <summary>A silo in this process, with or without Geo.</summary>
internal sealed class BenchSilo(IHost host) : IAsyncDisposable
{
    public IGrainFactory Grains { get; } = host.Services.GetRequiredService<IGrainFactory>();

    public static async Task<BenchSilo> StartAsync(bool useGeo)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.UseOrleans(silo =>
        {
            silo.UseLocalhostClustering(FreePort(), FreePort(), serviceId: "bench", clusterId: useGeo ? "with" : "without");
            if (useGeo)
            {
                silo.UseGeo(geo => geo.UseRowStore(_ => new InMemoryConditionalStore()).Configure(options => options.ClusterId = "bench"));
            }
        });
        var host = builder.Build();
        await host.StartAsync();
        return new BenchSilo(host);
    }

    public async ValueTask DisposeAsync()
    {
        await host.StopAsync();
        host.Dispose();
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
