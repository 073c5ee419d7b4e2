using Geo.Storage.Postgres;
using Geo.Storage.Sqlite;

namespace WebShop;

/// <summary>The silo's start-up lines, beside the global usings the only ones that name the host.</summary>
internal static class ThisHost
{
    public static void AddSilo(WebApplicationBuilder builder) => builder.UseGeoEmbedded(geo =>
    {
        geo.AddGrain<Stock>().AddGrain<Rating>();
        if (Region.HasDatabase(builder.Configuration))
        {
            geo.AddPostgresStore(GeoStorage.Default);
        }
        else
        {
            geo.AddSqliteStore(GeoStorage.Default);
        }
    });
}
