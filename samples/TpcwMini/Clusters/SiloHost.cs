using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using TpcwMini.Grains;
using TpcwMini.Options;

namespace TpcwMini.Clusters;

/// <summary>
/// The start-up lines of a silo: the only ones, beside the global using, that name the host. Nothing here depends on the variant but the
/// class that serves the items and the read policy.
/// </summary>
internal static class SiloHost
{
    public static IHost Build(ClusterSettings settings, IConditionalStore? store)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging.AddProvider(new StandardErrorLog()).SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddSingleton(ItemClassOf.Variant(settings.Variant));
        builder.Services.AddSingleton(new ItemReads(settings.Variant.Reads == ReadPolicy.Lin));
        builder.UseGeoEmbedded(geo =>
        {
            geo.Configure(silo =>
            {
                silo.ClusterId = settings.Cluster;
                silo.RequestTimeout = Defaults.CallTimeout;
                silo.ListenOn = settings.Listens ? $"127.0.0.1:{settings.Port}" : null;
                silo.Gateway = settings.Listens ? "127.0.0.1:0" : null;
                foreach (var (cluster, entries) in settings.Others)
                {
                    silo.Clusters[cluster] = [.. entries];
                }
            });
            geo.AddGrains(typeof(CartGrain).Assembly);
            if (store is not null)
            {
                geo.AddStore(GeoStorage.Default, _ => store);
            }
        });
        return builder.Build();
    }
}
