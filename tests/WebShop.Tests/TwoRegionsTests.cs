using System.Globalization;
using System.Net;
using System.Text.RegularExpressions;
using Geo.Consistency;
using Geo.Processes;
using Geo.Testing.Wan;
using Microsoft.AspNetCore.Builder;
using WebShop.Tests.Deploy;

namespace WebShop.Tests;

public sealed class TwoRegionsTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Both_regions_sell_from_one_stock_and_rate_for_themselves()
    {
        var ports = FreePorts.Take(4);
        await using var us = Create("us", ports[0], ports[1], "eu", ports[3]);
        await using var eu = Create("eu", ports[2], ports[3], "us", ports[1]);
        await Task.WhenAll(us.StartAsync(Stop), eu.StartAsync(Stop));
        using var http = new HttpClient();
        var (inUs, inEu) = ($"http://127.0.0.1:{ports[0]}", $"http://127.0.0.1:{ports[2]}");

        Assert.Equal(HttpStatusCode.OK, (await http.PutAsync($"{inUs}/stock/shirt/orders/1", null, Stop)).StatusCode);
        Assert.Equal(HttpStatusCode.OK, (await http.PutAsync($"{inEu}/stock/shirt/orders/1", null, Stop)).StatusCode);
        Assert.Equal(HttpStatusCode.OK, (await http.PutAsync($"{inEu}/stock/shirt/orders/2", null, Stop)).StatusCode);
        Assert.Equal("98", await http.GetStringAsync($"{inUs}/stock/shirt", Stop));
        Assert.Equal(HttpStatusCode.OK, (await http.PutAsync($"{inEu}/rating/shirt/ann/5", null, Stop)).StatusCode);
        Assert.Equal(HttpStatusCode.NotFound, (await http.PutAsync($"{inEu}/rating/shirt/ann/6", null, Stop)).StatusCode);

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Stop);
        limit.CancelAfter(Patience);
        while (await http.GetStringAsync($"{inUs}/rating/shirt", limit.Token) != "5")
        {
            await Task.Delay(TimeSpan.FromMilliseconds(20), limit.Token);
        }

        var probes = Regex.Matches(DeployFiles.Read("kubernetes/base/region.yaml"), "Probe: .* path: (/[a-z]+)");
        Assert.Equal(3, probes.Count);
        foreach (Match probe in probes)
        {
            Assert.Equal(HttpStatusCode.OK, (await http.GetAsync($"{inUs}{probe.Groups[1].Value}", Stop)).StatusCode);
        }

        await eu.StopAsync(Stop);
        await us.StopAsync(Stop);
    }

    [Fact]
    public async Task A_user_who_comes_to_another_region_sees_what_was_written_in_the_first()
    {
        var ports = FreePorts.Take(4);
        await using var us = Create("us", ports[0], ports[1], "eu", ports[3]);
        await using var eu = Create("eu", ports[2], ports[3], "us", ports[1]);
        await Task.WhenAll(us.StartAsync(Stop), eu.StartAsync(Stop));
        using var http = new HttpClient();
        var fronts = new[] { $"http://127.0.0.1:{ports[0]}", $"http://127.0.0.1:{ports[2]}" };
        string? token = null;
        for (var visit = 0; visit < 20; visit++)
        {
            // Each writes where the one before has read.
            var stars = (visit % 5) + 1;
            await SendAsync(HttpMethod.Put, $"{fronts[visit % 2]}/rating/shirt/ann/{stars}");
            Assert.Equal($"{stars}", await SendAsync(HttpMethod.Get, $"{fronts[(visit + 1) % 2]}/rating/shirt"));
        }

        token = "no token";
        Assert.Equal(HttpStatusCode.BadRequest, (await AskAsync(HttpMethod.Get, $"{fronts[0]}/rating/shirt")).StatusCode);
        await eu.StopAsync(Stop);
        await us.StopAsync(Stop);

        async Task<string> SendAsync(HttpMethod method, string path)
        {
            using var answer = await AskAsync(method, path);
            Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
            token = Assert.Single(answer.Headers.GetValues(GeoSession.Header));
            Assert.NotEmpty(token);
            return await answer.Content.ReadAsStringAsync(Stop);
        }

        async Task<HttpResponseMessage> AskAsync(HttpMethod method, string path)
        {
            using var request = new HttpRequestMessage(method, path);
            if (token is not null)
            {
                request.Headers.Add(GeoSession.Header, token);
            }

            return await http.SendAsync(request, Stop);
        }
    }

    [Fact]
    public async Task With_a_key_a_region_can_be_looked_at_and_without_one_it_cannot()
    {
        const string key = "0123456789abcdef0123456789abcdef";
        var ports = FreePorts.Take(5);
        await using var us = Create(
            "us", ports[0], ports[1], "eu", ports[3], Setting("Admin:Key", key), Setting("Dashboard", "true"),
            Setting("Admin:ListenOn", $"127.0.0.1:{ports[4]}"));
        await using var eu = Create("eu", ports[2], ports[3], "us", ports[1], Setting("Dashboard", "true"));
        await Task.WhenAll(us.StartAsync(Stop), eu.StartAsync(Stop));
        using var http = new HttpClient();

        Assert.Contains("<title>Geo</title>", await http.GetStringAsync($"http://127.0.0.1:{ports[0]}/geo", Stop));
        Assert.Equal(HttpStatusCode.NotFound, (await http.GetAsync($"http://127.0.0.1:{ports[2]}/geo", Stop)).StatusCode);
        Assert.Equal(HttpStatusCode.Unauthorized, (await http.GetAsync($"http://127.0.0.1:{ports[4]}/status", Stop)).StatusCode);

        await eu.StopAsync(Stop);
        await us.StopAsync(Stop);
    }

    public void Dispose() => _folder.Dispose();

    private WebApplication Create(string region, int web, int geo, string other, int otherGeo, params string[] more) => Region.Create(
    [
        Setting("Urls", $"http://127.0.0.1:{web}"), Setting("Geo:ClusterId", region), Setting("Geo:ListenOn", $"127.0.0.1:{geo}"),
        Setting($"Geo:Clusters:{other}:0", $"127.0.0.1:{otherGeo}"), Setting("Geo:Stores:Default:Path", _folder.File("shop.db")),
        Setting("Logging:LogLevel:Default", "None"), .. more,
    ]);

    private static string Setting(string key, string value) => string.Create(CultureInfo.InvariantCulture, $"--{key}={value}");
}
