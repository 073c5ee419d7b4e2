using System.Net;
using Geo.Orleans.Tests.Clusters;
using Geo.Testing.Wan;

namespace Geo.Orleans.Tests.Hosting;

public sealed class StartTests
{
    [Fact]
    public Task Without_a_row_store_the_silo_does_not_start() =>
        RefusedAsync("UseRowStore", geo => geo.Configure(options => options.ClusterId = "eu"));

    [Fact]
    public Task Without_a_cluster_id_the_silo_does_not_start() =>
        RefusedAsync("ClusterId", geo => geo.UseRowStore(_ => new InMemoryConditionalStore()));

    [Fact]
    public Task An_address_that_is_none_is_named() =>
        RefusedAsync("Clusters:us", geo => geo
            .UseRowStore(_ => new InMemoryConditionalStore())
            .Configure(options =>
            {
                options.ClusterId = "eu";
                options.Clusters["us"] = ["nowhere"];
            }));

    private static async Task RefusedAsync(string naming, Action<GeoSiloBuilder> configure)
    {
        var ports = FreePorts.Take(2);
        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => OrleansSilo.StartAsync(
            new(ports[0], ports[1], 0), new IPEndPoint(IPAddress.Loopback, ports[0]), "eu", silo => silo.UseGeo(configure)));

        Assert.Contains(naming, error.Message, StringComparison.Ordinal);
    }
}
