using System.Net;
using Geo.Storage.Sqlite;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Storage;

public sealed class StoreLineTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Each_store_is_picked_in_one_line_and_closed_with_the_silo()
    {
        var folder = System.IO.Directory.CreateTempSubdirectory("geo-orleans-").FullName;
        IConditionalStore versions;
        await using (var silo = await StartAsync(geo => geo
            .UseSqliteRows(new SqliteStoreOptions { Path = Path.Combine(folder, "rows.db") })
            .AddSqliteStore(GeoStorage.Default, new SqliteStoreOptions { Path = Path.Combine(folder, "versions.db") })
            .AddGrainStorageStore("Others", "memory")))
        {
            var stores = silo.Services.GetRequiredService<SiloStores>();
            versions = stores.Named(null);
            Assert.Equal(StoreWriteOutcome.Applied, (await versions.WriteAsync("k", default, null, Stop)).Outcome);
            Assert.Equal(StoreWriteOutcome.Applied, (await stores.Named("Others").WriteAsync("k", default, null, Stop)).Outcome);
        }

        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await versions.ReadAsync("k", Stop));
        System.IO.Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task A_grain_storage_that_was_not_added_is_named_at_start()
    {
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => StartAsync(geo => geo
            .UseRowStore(_ => new InMemoryConditionalStore())
            .AddGrainStorageStore(GeoStorage.Default, "nowhere")));

        Assert.Contains("'nowhere'", refused.Message, StringComparison.Ordinal);
    }

    private static Task<GeoTestSilo> StartAsync(Action<GeoSiloBuilder> configure)
    {
        var ports = FreePorts.Take(2);
        return GeoTestSilo.StartAsync(new(ports[0], ports[1], 0), new IPEndPoint(IPAddress.Loopback, ports[0]), "eu", silo =>
        {
            silo.AddMemoryGrainStorage("memory");
            silo.UseGeo(geo =>
            {
                geo.Configure(options => options.ClusterId = "eu");
                configure(geo);
            });
        });
    }
}
