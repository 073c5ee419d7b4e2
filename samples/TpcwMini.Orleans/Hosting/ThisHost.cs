using System.Net;
using Geo.Orleans;
using Microsoft.Extensions.Hosting;
using Orleans.Configuration;
using TpcwMini.Options;

namespace TpcwMini.Hosting;

/// <summary>The host that this program is built with.</summary>
internal static class ThisHost
{
    public static HostKind Kind => HostKind.Orleans;

    /// <summary>True for what a call ends with when the process that it needed is gone; within a cluster Orleans says so itself.</summary>
    public static bool IsCutOff(Exception error) =>
        error is GeoOutcomeUnknownException or GeoUnavailableException or OrleansException or TimeoutException;

    /// <summary>Adds a client of one region, connected to these gateways.</summary>
    public static void AddClient(HostApplicationBuilder builder, string cluster, IReadOnlyList<string> gateways, TimeSpan callTimeout) =>
        builder.UseOrleansClient(client =>
        {
            client.UseStaticClustering([.. gateways.Select(IPEndPoint.Parse)]);
            client.Configure<ClusterOptions>(options => (options.ServiceId, options.ClusterId) = (SiloHost.ServiceId, cluster));
            client.Configure<ClientMessagingOptions>(options => options.ResponseTimeout = callTimeout);
            client.UseGeo();
        });
}
