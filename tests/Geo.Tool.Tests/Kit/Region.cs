using Geo.Administration;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Tool.Tests.Kit;

/// <summary>A region of one silo in this process, with its admin endpoint, and the tool that asks it.</summary>
internal sealed class Region : IAsyncDisposable
{
    private readonly IHost _host;

    private Region(IHost host) => _host = host;

    public static string Key { get; } = Convert.ToHexString(System.Security.Cryptography.RandomNumberGenerator.GetBytes(32));

    public IGeoSilo Silo => _host.Services.GetRequiredService<IGeoSilo>();

    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    public Uri Admin => _host.Services.GetRequiredService<IGeoAdminEndpoint>().Address!;

    public static async Task<Region> StartAsync(RegionOptions options)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });

        // Before the silo: the host's services may be added in any order.
        options.AddTo(builder.Services, Key);
        builder.UseGeoEmbedded(geo =>
        {
            geo.AddGrains(typeof(CounterGrain).Assembly).Configure(settings =>
            {
                settings.ClusterId = options.Cluster;
                settings.ListenOn = "127.0.0.1:0";
                settings.DeactivationTimeout = TimeSpan.FromSeconds(1);
                settings.Clusters[options.Other] = options.OtherAddress is { } address ? [address] : [];
            });
            options.Geo(geo);
        });
        var silo = builder.Services.Last(service => service.ServiceType == typeof(IGeoStatus)).ImplementationFactory!;
        builder.Services.AddSingleton<IGeoStatus>(provider => new ToldStatus((IGeoStatus)silo(provider), options.Told));
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

    /// <summary>Runs the tool on this region's endpoint.</summary>
    public Task<ToolRun> RunAsync(params string[] command) => ToolRun.OfAsync([.. command, "--url", Admin.ToString()], Key);

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync(CancellationToken.None);
        _host.Dispose();
    }
}
