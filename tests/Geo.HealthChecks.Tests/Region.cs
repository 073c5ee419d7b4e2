using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;

namespace Geo.HealthChecks.Tests;

/// <summary>A region of one silo in this process, with its health checks.</summary>
internal sealed class Region : IAsyncDisposable
{
    private readonly IHost _host;

    private Region(IHost host) => _host = host;

    public string Address => _host.Services.GetRequiredService<IGeoSilo>().ListeningOn!.ToString();

    public static async Task<Region> StartAsync(
        string cluster, string other, string? address, Action<GeoHealthOptions>? health = null, IConditionalStore? store = null)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.UseGeoEmbedded(geo =>
        {
            geo.Configure(options =>
            {
                options.ClusterId = cluster;
                options.ListenOn = "127.0.0.1:0";
                options.Clusters[other] = address is null ? [] : [address];
            });
            if (store is not null)
            {
                geo.AddStore("Ledgers", _ => store);
            }
        });
        builder.Services.AddGeoHealthChecks(health);
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

    public Task<HealthReport> CheckAsync() =>
        _host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(TestContext.Current.CancellationToken);

    /// <summary>Waits, 30 seconds at most, until a check says what is expected.</summary>
    public async Task<HealthReportEntry> UntilAsync(string check, HealthStatus expected)
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        while (true)
        {
            var entry = (await CheckAsync()).Entries[check];
            if (entry.Status == expected || limit.IsCancellationRequested)
            {
                Assert.Equal(expected, entry.Status);
                return entry;
            }

            await Task.Delay(TimeSpan.FromMilliseconds(20), CancellationToken.None);
        }
    }

    public async Task StopAsync() => await _host.StopAsync(CancellationToken.None);

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync(CancellationToken.None);
        _host.Dispose();
    }
}
