using System.Net.Http.Headers;
using System.Text.Json;
using Geo.Administration;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Hosting;

public sealed class AdministrationTests
{
    private const string Key = "0123456789abcdef0123456789abcdef";

    [Fact]
    public async Task The_admin_endpoint_tells_of_both_clusters_and_where_a_grain_is()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Services = services => services.AddGeoAdministration(admin =>
            {
                (admin.ListenOn, admin.Key) = ("127.0.0.1:0", Key);
                (admin.AskInterval, admin.AnswerTimeout) = (TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(30));
            }),
        });
        var spot = clusters.Grains("us").GetGrain<ISpot>("a");
        await spot.Add(1);

        await Eventually.Is("eu-us us-eu", async () => RoundTrips(await AskAsync(clusters, "geo/overview")));
        var overview = await AskAsync(clusters, "geo/overview");
        Assert.True(overview.GetProperty("leaseSeconds").GetDouble() >= 0);
        Assert.Contains(
            overview.GetProperty("stores").EnumerateArray(),
            store => store.GetProperty("name").GetString() == StoreAnswer.DirectoryRows);
        var grain = await AskAsync(clusters, $"geo/grain?key={Uri.EscapeDataString(GrainNames.ToKey(spot.GetGrainId()).ToString())}");
        Assert.Equal("us", grain.GetProperty("cluster").GetString());
    }

    private static string RoundTrips(JsonElement overview) => string.Join(
        ' ',
        overview.GetProperty("roundTrips").EnumerateArray()
            .Select(trip => $"{trip.GetProperty("from").GetString()}-{trip.GetProperty("to").GetString()}").Order(StringComparer.Ordinal));

    private static async Task<JsonElement> AskAsync(GeoTestCluster clusters, string path)
    {
        var endpoint = clusters.SilosOf("eu")[0].Services.GetRequiredService<IGeoAdminEndpoint>();
        using var http = new HttpClient { BaseAddress = endpoint.Address };
        http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Key);
        await using var answer = await http.GetStreamAsync(path, TestContext.Current.CancellationToken);
        return (await JsonDocument.ParseAsync(answer, cancellationToken: TestContext.Current.CancellationToken)).RootElement;
    }
}
