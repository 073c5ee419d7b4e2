using System.Net;
using Geo.Experiments.Messaging;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;

namespace Geo.Experiments.Orleans;

/// <summary>Makes the silos of an experiment.</summary>
internal static class SiloHost
{
    private const string Name = "experiment";
    private const int MaxMessageBytes = 100 * 1024 * 1024;
    private static readonly TimeSpan ResponseTimeout = TimeSpan.FromMinutes(2);

    /// <param name="settings">The peer's settings; its lanes are connections to an endpoint.</param>
    /// <param name="own">Where this silo listens.</param>
    /// <param name="primary">The silo that holds the membership.</param>
    public static async Task<IHost> StartAsync(PeerSettings settings, IPEndPoint own, IPEndPoint primary)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.Services.AddSingleton<Arrivals>().AddSingleton<ActorTurns>();
        builder.UseOrleans(silo => silo
            .UseDevelopmentClustering(primary)
            .Configure<ClusterOptions>(options => (options.ClusterId, options.ServiceId) = (Name, Name))
            .Configure<EndpointOptions>(
                options => (options.AdvertisedIPAddress, options.SiloPort, options.GatewayPort) = (own.Address, own.Port, 0))
            .Configure<ConnectionOptions>(options => options.ConnectionsPerEndpoint = settings.Variant.Lanes)
            .Configure<SiloMessagingOptions>(options =>
            {
                options.ResponseTimeout = ResponseTimeout;
                options.MaxMessageBodySize = MaxMessageBytes;
            }));
        var host = builder.Build();
        await host.StartAsync();
        return host;
    }
}
