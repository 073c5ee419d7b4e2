using Microsoft.Extensions.Hosting;

namespace SimulatedOrders;

/// <summary>The application's set-up, the same in production and in the simulation.</summary>
public static class App
{
    public static void Configure(IHostApplicationBuilder host) => host.UseGeoEmbedded(geo => geo.AddGrain<Orders>());
}
