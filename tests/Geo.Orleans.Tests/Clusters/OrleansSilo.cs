using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Clusters;

/// <summary>One real silo in this process, reached by its neighbours, clients and other clusters over TCP.</summary>
internal sealed class OrleansSilo(IHost host) : IAsyncDisposable
{
    private bool _ended;

    public IGrainFactory Grains => host.Services.GetRequiredService<IGrainFactory>();

    public IServiceProvider Services => host.Services;

    /// <summary>Has a silo that is gone declared dead within about three seconds.</summary>
    public static void DetectSoon(ClusterMembershipOptions options)
    {
        options.ProbeTimeout = TimeSpan.FromSeconds(1);
        options.NumMissedProbesLimit = 3;
    }

    public static async Task<OrleansSilo> StartAsync(SiloPorts ports, IPEndPoint primary, string cluster, Action<ISiloBuilder> configure)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.UseOrleans(silo =>
        {
            silo.UseLocalhostClustering(ports.Silo, ports.Gateway, primary, serviceId: "geo-tests", clusterId: cluster);
            configure(silo);
        });
        var host = builder.Build();
        try
        {
            await host.StartAsync();
        }
        catch
        {
            // Not by disposing the host: that leaves a loop of Orleans' behind which turns without a pause until the process ends, and, after this, would
            // wait for ever for a silo that never became active.
            await host.Services.GetRequiredService<ISiloLifecycleSubject>().OnStop(new CancellationToken(canceled: true));
            throw;
        }

        return new OrleansSilo(host);
    }

    public async Task StopAsync()
    {
        _ended = true;
        await host.StopAsync();
        host.Dispose();
    }

    /// <summary>Ends the silo without letting it say goodbye to grains, neighbours or other clusters.</summary>
    public async Task KillAsync()
    {
        _ended = true;
        await host.StopAsync(new CancellationToken(canceled: true));
        await DisposeHostAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (!_ended)
        {
            await host.StopAsync();
            await DisposeHostAsync();
        }
    }

    private ValueTask DisposeHostAsync() => ((IAsyncDisposable)host).DisposeAsync();
}
