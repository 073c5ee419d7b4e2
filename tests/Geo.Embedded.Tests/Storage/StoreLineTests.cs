using Geo.Storage.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Embedded.Tests.Storage;

public sealed class StoreLineTests
{
    [Fact]
    public async Task A_store_is_picked_in_one_line_and_closed_with_the_host()
    {
        var folder = System.IO.Directory.CreateTempSubdirectory("geo-embedded-").FullName;
        var options = new SqliteStoreOptions { Path = Path.Combine(folder, "stock.db") };
        for (var run = 1; run <= 2; run++)
        {
            var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
            builder.UseGeoEmbedded(geo => geo
                .AddGrain<Stock>()
                .AddSqliteStore(GeoStorage.Default, options)
                .Configure(o => o.ClusterId = "us"));
            using var host = builder.Build();
            await host.StartAsync(TestContext.Current.CancellationToken);

            var stock = host.Services.GetRequiredService<IGrainFactory>().GetGrain<IStock>("blue-shirt");
            Assert.True(await stock.Sell($"order-{run}"));
            Assert.Equal(100 - run, await stock.Glance());
            await host.StopAsync(TestContext.Current.CancellationToken);
        }

        // Nothing holds the file any more.
        System.IO.Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void What_cannot_be_is_refused_where_it_is_written()
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });

        Assert.Throws<GeoConfigurationException>(() => builder.UseGeoEmbedded(
            geo => geo.AddSqliteStore(GeoStorage.Default, new SqliteStoreOptions { Path = "stock.db", MaxBatch = 0 })));
    }
}
