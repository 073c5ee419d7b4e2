using Geo.Storage.Quorum;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace SimulatedOrders;

/// <summary>The application's set-up, the same in production and in the simulation.</summary>
public static class App
{
    public static void Configure(IHostApplicationBuilder host) => host.UseGeoEmbedded(geo => geo.AddGrain<Orders>());

    /// <summary>Who owns a grain stands in stores of the regions, by majority; a simulation gives one of its own instead.</summary>
    public static void ConfigurePayouts(IHostApplicationBuilder host, PayoutTable table)
    {
        host.Services.AddSingleton(table);
        host.UseGeoEmbedded(geo => geo
            .AddGrain<Payouts>()
            .AddQuorumStore(GeoStorage.Quorum, ["eu", "us", "asia"], _ => new InMemoryConditionalStore()));
    }
}
