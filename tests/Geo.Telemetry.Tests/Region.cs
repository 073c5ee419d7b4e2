using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Telemetry.Tests;

/// <summary>A region of one silo in this process.</summary>
internal sealed class Region : IAsyncDisposable
{
    private readonly IHost _host;

    private Region(IHost host) => _host = host;

    public IGeoSilo Silo => _host.Services.GetRequiredService<IGeoSilo>();

    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    public static async Task<Region> StartAsync(string cluster, string other, string? address, IConditionalStore store)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.UseGeoEmbedded(geo =>
        {
            geo.AddGrains(typeof(LedgerGrain).Assembly).AddStore("Ledgers", _ => store).Configure(options =>
            {
                options.ClusterId = cluster;
                options.ListenOn = "127.0.0.1:0";
                options.Clusters[other] = address is null ? [] : [address];
            });
        });
        var region = new Region(builder.Build());
        try
        {
            await region._host.StartAsync(TestContext.Current.CancellationToken);
            return region;
        }
        catch
        {
            await region.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync(CancellationToken.None);
        _host.Dispose();
    }
}
