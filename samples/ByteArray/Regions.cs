using System.Net;
using Geo;
using Geo.Embedded;
using Geo.Testing.Storage;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace ByteArraySample;

/// <summary>
/// Two regions of one process as in the paper's Figure 7: a delayed link between them, and a store that is near one of them.
/// </summary>
public sealed class Regions : IAsyncDisposable
{
    /// <summary>The region with the store; it leads volatile arrays.</summary>
    public const string Near = "california";

    /// <summary>The other region.</summary>
    public const string Far = "netherlands";

    private readonly IHost _near;
    private readonly IHost _far;
    private readonly DelayedLink _link;

    private Regions(IHost near, IHost far, DelayedLink link) => (_near, _far, _link) = (near, far, link);

    public IGrainFactory California => _near.Services.GetRequiredService<IGrainFactory>();

    public IGrainFactory Netherlands => _far.Services.GetRequiredService<IGrainFactory>();

    /// <param name="roundTrip">Between the regions, and from the far one to the store.</param>
    /// <param name="storage">From the near region to the store.</param>
    public static async Task<Regions> StartAsync(TimeSpan roundTrip, TimeSpan storage)
    {
        var store = new InMemoryConditionalStore();
        var near = await StartAsync(Near, Far, null, new LatencyConditionalStore(store, storage, TimeProvider.System));
        var silo = near.Services.GetRequiredService<IGeoSilo>();
        var link = DelayedLink.Start(new DelayedLinkOptions
        {
            Target = IPEndPoint.Parse(silo.ListeningOn!.ToString()),
            OneWayDelay = roundTrip / 2,
        });
        var far = await StartAsync(
            Far, Near, link.ListeningOn.ToString(), new LatencyConditionalStore(store, roundTrip, TimeProvider.System));
        while (!silo.IsLinkedTo(new ClusterId(Far)) || !far.Services.GetRequiredService<IGeoSilo>().IsLinkedTo(new ClusterId(Near)))
        {
            await Task.Delay(TimeSpan.FromMilliseconds(20));
        }

        return new Regions(near, far, link);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var host in new[] { _far, _near })
        {
            await host.StopAsync();
            host.Dispose();
        }

        await _link.DisposeAsync();
    }

    private static async Task<IHost> StartAsync(string name, string other, string? address, IConditionalStore store)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.UseGeoEmbedded(geo =>
        {
            geo.Configure(silo =>
            {
                (silo.ClusterId, silo.ListenOn) = (name, "127.0.0.1:0");
                silo.Clusters[other] = address is null ? [] : [address];
            });
            geo.AddGrains(typeof(Regions).Assembly).AddStore(GeoStorage.Default, _ => store);
        });
        var host = builder.Build();
        await host.StartAsync();
        return host;
    }
}
