using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Geo.Experiments.Lattices;

/// <summary>Two clusters of this process that are linked over the machine's own network.</summary>
internal static class LinkedPair
{
    /// <summary>Starts both and waits for the link.</summary>
    public static async Task<IHost[]> StartAsync(Action<GeoEmbeddedBuilder> add)
    {
        var us = await StartAsync("us", "eu", null, add);
        var eu = await StartAsync("eu", "us", us.Services.GetRequiredService<IGeoSilo>().ListeningOn!.ToString(), add);
        while (!us.Services.GetRequiredService<IGeoSilo>().IsLinkedTo(new("eu")))
        {
            await Task.Delay(10);
        }

        return [us, eu];
    }

    /// <summary>Stops both.</summary>
    public static async ValueTask StopAsync(IHost[] hosts)
    {
        foreach (var host in hosts)
        {
            await host.StopAsync();
            host.Dispose();
        }
    }

    private static async Task<IHost> StartAsync(string name, string other, string? address, Action<GeoEmbeddedBuilder> add)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.UseGeoEmbedded(geo =>
        {
            add(geo);
            geo.Configure(options =>
            {
                (options.ClusterId, options.ListenOn) = (name, "127.0.0.1:0");
                options.Clusters[other] = address is null ? [] : [address];
            });
        });
        var host = builder.Build();
        await host.StartAsync();
        return host;
    }
}
