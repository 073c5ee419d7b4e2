using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;

namespace Geo.Orleans.Testing;

/// <summary>One real silo in this process, reached by its neighbours, clients and other clusters over TCP.</summary>
public sealed class GeoTestSilo : IAsyncDisposable
{
    internal const string ServiceId = "geo-tests";

    private readonly IHost _host;
    private bool _ended;

    private GeoTestSilo(IHost host) => _host = host;

    /// <summary>A grain factory that calls through this silo.</summary>
    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    /// <summary>The silo's services.</summary>
    public IServiceProvider Services => _host.Services;

    /// <summary>Has a silo that is gone declared dead within about three seconds.</summary>
    internal static void DetectSoon(ClusterMembershipOptions options)
    {
        // Orleans would go down to half of it by itself, which is too soon for silos of several clusters in one process.
        options.ProbeTimeout = options.MinProbeTimeout = TimeSpan.FromSeconds(1);
        options.NumMissedProbesLimit = 3;
    }

    internal static async Task<GeoTestSilo> StartAsync(
        SiloPorts ports, IPEndPoint primary, string cluster, Action<ISiloBuilder> configure)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.UseOrleans(silo =>
        {
            silo.UseLocalhostClustering(ports.Silo, ports.Gateway, primary, serviceId: ServiceId, clusterId: cluster);
            configure(silo);
        });
        var host = builder.Build();
        try
        {
            await host.StartAsync();
        }
        catch
        {
            // Not by disposing the host: that leaves a loop of Orleans' behind which turns without a pause until the process ends, and,
            // after this, would wait for ever for a silo that never became active.
            await host.Services.GetRequiredService<ISiloLifecycleSubject>().OnStop(new CancellationToken(canceled: true));
            throw;
        }

        return new GeoTestSilo(host);
    }

    /// <summary>Ends the silo in order; its grains end, and its neighbours and the other clusters are told.</summary>
    public async Task StopAsync()
    {
        _ended = true;
        await _host.StopAsync();
        _host.Dispose();
    }

    /// <summary>Ends the silo without letting it say goodbye to grains, neighbours or other clusters.</summary>
    public async Task KillAsync()
    {
        _ended = true;
        await _host.StopAsync(new CancellationToken(canceled: true));
        await DisposeHostAsync();
    }

    /// <summary>Ends the silo in order, unless it has ended.</summary>
    public async ValueTask DisposeAsync()
    {
        if (!_ended)
        {
            await _host.StopAsync();
            await DisposeHostAsync();
        }
    }

    private ValueTask DisposeHostAsync() => ((IAsyncDisposable)_host).DisposeAsync();
}
