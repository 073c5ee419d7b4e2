using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded.Tests;

/// <summary>A host with a silo in it, listening on free loopback ports.</summary>
internal sealed class TestSilo : IAsyncDisposable
{
    private readonly IHost _host;

    private TestSilo(IHost host) => _host = host;

    public IServiceProvider Services => _host.Services;

    public IGeoSilo Silo => Services.GetRequiredService<IGeoSilo>();

    public IGrainFactory Grains => Services.GetRequiredService<IGrainFactory>();

    public string Address => Silo.ListeningOn!.ToString();

    public string Gateway => Silo.GatewayOn!.ToString();

    public static async Task<TestSilo> StartAsync(
        string cluster,
        Action<GeoEmbeddedBuilder> configure,
        (string Name, string? Address)[]? others = null,
        Action<IServiceCollection>? services = null,
        string listenOn = "127.0.0.1:0",
        string gateway = "127.0.0.1:0")
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        services?.Invoke(builder.Services);
        builder.UseGeoEmbedded(geo =>
        {
            geo.Configure(o =>
            {
                o.ClusterId = cluster;
                o.ListenOn = listenOn;
                o.Gateway = gateway;
                o.DeactivationTimeout = TimeSpan.FromSeconds(1);
                foreach (var (name, address) in others ?? [])
                {
                    o.Clusters[name] = address is null ? [] : [address];
                }
            });
            configure(geo);
        });
        var silo = new TestSilo(builder.Build());
        try
        {
            await silo._host.StartAsync(TestContext.Current.CancellationToken);
        }
        catch
        {
            silo._host.Dispose();
            throw;
        }

        return silo;
    }

    /// <summary>Waits until it is linked with other clusters.</summary>
    public Task LinkedAsync(params string[] others) => Eventually.HoldsAsync(
        () => others.All(o => Silo.IsLinkedTo(new ClusterId(o))), $"the silo is linked with {string.Join(" and ", others)}");

    public async Task<GeoClient> ConnectClientAsync(Action<GeoClientOptions>? configure = null)
    {
        var options = new GeoClientOptions { Gateways = { Gateway } };
        configure?.Invoke(options);
        var client = new GeoClient(options);
        await client.ConnectAsync(TestContext.Current.CancellationToken);
        return client;
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync(CancellationToken.None);
        _host.Dispose();
    }
}
