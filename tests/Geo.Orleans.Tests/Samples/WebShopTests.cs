using System.Globalization;
using System.Net;
using Geo.Orleans.Tests.Clusters;
using Geo.Processes;
using Geo.Testing.Wan;
using Microsoft.AspNetCore.Builder;
using Region = WebShop.Region;

namespace Geo.Orleans.Tests.Samples;

public sealed class WebShopTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Both_regions_sell_from_one_stock_and_rate_for_themselves()
    {
        var ports = FreePorts.Take(8);
        await using var us = Create("us", [.. ports.Take(4)], "eu", ports[5]);
        await using var eu = Create("eu", [.. ports.Skip(4)], "us", ports[1]);
        await Task.WhenAll(us.StartAsync(Stop), eu.StartAsync(Stop));
        using var http = new HttpClient();
        var (inUs, inEu) = ($"http://127.0.0.1:{ports[0]}", $"http://127.0.0.1:{ports[4]}");

        Assert.Equal(HttpStatusCode.OK, await OrderAsync(inUs, "1"));
        Assert.Equal(HttpStatusCode.OK, await OrderAsync(inEu, "1"));
        Assert.Equal(HttpStatusCode.OK, await OrderAsync(inEu, "2"));
        Assert.Equal("98", await http.GetStringAsync($"{inUs}/stock/shirt", Stop));
        Assert.Equal(HttpStatusCode.OK, (await http.PutAsync($"{inEu}/rating/shirt/ann/5", null, Stop)).StatusCode);
        await Eventually.Is("5", () => http.GetStringAsync($"{inUs}/rating/shirt", Stop));

        await eu.StopAsync(Stop);
        await us.StopAsync(Stop);

        async Task<HttpStatusCode> OrderAsync(string region, string order) =>
            (await http.PutAsync($"{region}/stock/shirt/orders/{order}", null, Stop)).StatusCode;
    }

    public void Dispose() => _folder.Dispose();

    // Its ports are those of the web, of Geo, of Orleans' silo and of its gateway.
    private WebApplication Create(string region, int[] ports, string other, int otherGeo) => Region.Create(
    [
        Setting("Urls", $"http://127.0.0.1:{ports[0]}"), Setting("Geo:ClusterId", region), Setting("Geo:ListenOn", $"127.0.0.1:{ports[1]}"),
        Setting("Silo:Port", $"{ports[2]}"), Setting("Silo:Gateway", $"{ports[3]}"),
        Setting($"Geo:Clusters:{other}:0", $"127.0.0.1:{otherGeo}"), Setting("Geo:Stores:Default:Path", _folder.File("shop.db")),
        Setting("Geo:Rows:Path", _folder.File($"rows-{region}.db")), Setting("Logging:LogLevel:Default", "None"),
    ]);

    private static string Setting(string key, string value) => string.Create(CultureInfo.InvariantCulture, $"--{key}={value}");
}
