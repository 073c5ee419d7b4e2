using System.Net;
using Geo.Orleans.Tests.Grains;
using Geo.Testing.Wan;

namespace Geo.Orleans.Tests.Storage;

/// <summary>Silos of one cluster over two row stores would each own what the other does.</summary>
public sealed class RowStoreOfSiblingsTests
{
    private readonly SiloPorts[] _ports = [.. FreePorts.Take(4).Chunk(2).Select(pair => new SiloPorts(pair[0], pair[1], 0))];

    [Fact]
    public async Task A_silo_with_another_row_store_than_its_sibling_does_not_start()
    {
        var rows = new InMemoryConditionalStore();
        await using var first = await StartAsync(_ports[0], rows);

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => StartAsync(_ports[1], new InMemoryConditionalStore()));

        Assert.Contains("give all silos of the cluster one row store", refused.Message, StringComparison.Ordinal);
        await using var second = await StartAsync(_ports[1], rows);
        Assert.Equal("eu", (await second.Grains.GetGrain<ISpot>("anywhere").Where()).Cluster);
    }

    private Task<GeoTestSilo> StartAsync(SiloPorts own, InMemoryConditionalStore rows) =>
        GeoTestSilo.StartAsync(own, new IPEndPoint(IPAddress.Loopback, _ports[0].Silo), "eu", silo =>
            silo.UseGeo(geo => geo
                .UseRowStore(_ => rows).AddStore(GeoStorage.Default, _ => new InMemoryConditionalStore())
                .Configure(options => options.ClusterId = "eu")));
}
