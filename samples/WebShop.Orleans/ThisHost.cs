using Geo.Storage.Postgres;
using Geo.Storage.Sqlite;

namespace WebShop;

/// <summary>The silo's start-up lines, beside the global usings the only ones that name the host.</summary>
internal static class ThisHost
{
    private const int SiloPort = 11111;
    private const int GatewayPort = 30000;

    public static void AddSilo(WebApplicationBuilder builder) => builder.UseOrleans(silo =>
    {
        // One silo a region: more find each other through a membership provider of Orleans, and share the rows.
        silo.UseLocalhostClustering(
            builder.Configuration.GetValue("Silo:Port", SiloPort), builder.Configuration.GetValue("Silo:Gateway", GatewayPort),
            serviceId: "web-shop", clusterId: builder.Configuration["Geo:ClusterId"]!);
        silo.UseGeo(geo =>
        {
            if (Region.HasDatabase(builder.Configuration))
            {
                geo.UsePostgresRows().AddPostgresStore(GeoStorage.Default);
            }
            else
            {
                geo.UseSqliteRows().AddSqliteStore(GeoStorage.Default);
            }
        });
    });
}
