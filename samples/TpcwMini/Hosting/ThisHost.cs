using Microsoft.Extensions.Hosting;
using TpcwMini.Options;

namespace TpcwMini.Hosting;

/// <summary>The host that this program is built with; samples/TpcwMini.Orleans has the same two files for the other one.</summary>
internal static class ThisHost
{
    public static HostKind Kind => HostKind.Embedded;

    /// <summary>True for what a call ends with when the process that it needed is gone.</summary>
    public static bool IsCutOff(Exception error) =>
        error is GeoOutcomeUnknownException or GeoUnavailableException;

    /// <summary>Adds a client of one region, connected to these gateways.</summary>
    public static void AddClient(HostApplicationBuilder builder, string cluster, IReadOnlyList<string> gateways, TimeSpan callTimeout) =>
        builder.UseGeoEmbeddedClient(client => client.Configure(options =>
        {
            foreach (var gateway in gateways)
            {
                options.Gateways.Add(gateway);
            }

            options.RequestTimeout = callTimeout;
            options.MaxReconnectDelay = Defaults.MaxReconnectDelay;
        }));
}
