using System.Collections.Concurrent;
using System.Net.Http.Headers;
using System.Text.Json;
using Geo.Administration;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Storage.Quorum;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Hosting;

public sealed class AdministrationTests
{
    private const string Key = "0123456789abcdef0123456789abcdef";

    [Fact]
    public async Task The_admin_endpoint_tells_of_both_clusters_and_where_a_grain_is()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new() { Services = AddAdministration });
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

    /// <summary>As <c>geo keepers</c> has it.</summary>
    [Fact]
    public async Task The_clusters_that_keep_a_store_are_all_replaced_while_grains_use_it_and_the_first_one_is_missed_by_nobody()
    {
        var disks = new ConcurrentDictionary<string, InMemoryConditionalStore>();
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Clusters = ["asia", "eu", "us"],
            SilosIn = new Dictionary<string, int> { ["eu"] = 2 },
            Services = AddAdministration,
            Geo = geo => geo.AddQuorumStore("quorum", ["us"], services => disks.GetOrAdd(
                services.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId, _ => new InMemoryConditionalStore())),
        });
        Assert.Equal(1, await Eventually.Succeeds(() => In("us").Add(1)));
        Assert.Equal("1 [us]", await KeepersAsync());
        Assert.Equal("Version 2: [eu, us] keep the store.", await OrderAsync("add", "eu"));
        Assert.Equal(3, await In("asia").Add(2));
        Assert.Equal("Version 3: [asia, eu, us] keep the store.", await OrderAsync("add", "asia"));
        Assert.Equal("Version 4: [asia, eu] keep the store.", await OrderAsync("remove", "us"));
        Assert.Equal("4 [asia, eu]", await KeepersAsync());
        await clusters.KillAsync("us");
        Assert.Equal(7, await Eventually.Succeeds(() => In("eu").Add(4)));
        Assert.Equal(7, await In("asia").Read());

        IKept In(string cluster) => clusters.Grains(cluster).GetGrain<IKept>("a");

        async Task<string> KeepersAsync()
        {
            var row = Assert.Single((await AskAsync(clusters, "geo/keepers")).GetProperty("stores").EnumerateArray());
            return $"{row.GetProperty("version")} [{string.Join(", ", row.GetProperty("clusters").EnumerateArray())}]";
        }

        // Refused while the change before has not gone through.
        Task<string> OrderAsync(string order, string cluster) => Eventually.Succeeds(async () =>
        {
            var done = await AskAsync(clusters, $"geo/keepers/{order}?store=quorum&cluster={cluster}", HttpMethod.Post);
            var text = done.GetProperty("text").GetString()!;
            return done.GetProperty("applied").GetBoolean() ? text : throw new GeoUnavailableException(text);
        });
    }

    private static void AddAdministration(IServiceCollection services) => services.AddGeoAdministration(admin =>
    {
        (admin.ListenOn, admin.Key) = ("127.0.0.1:0", Key);
        (admin.AskInterval, admin.AnswerTimeout) = (TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(30));
    });

    private static string RoundTrips(JsonElement overview) => string.Join(
        ' ',
        overview.GetProperty("roundTrips").EnumerateArray()
            .Select(trip => $"{trip.GetProperty("from").GetString()}-{trip.GetProperty("to").GetString()}").Order(StringComparer.Ordinal));

    private static async Task<JsonElement> AskAsync(GeoTestCluster clusters, string path, HttpMethod? method = null)
    {
        var endpoint = clusters.SilosOf("eu")[0].Services.GetRequiredService<IGeoAdminEndpoint>();
        using var http = new HttpClient { BaseAddress = endpoint.Address };
        http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Key);
        using var request = new HttpRequestMessage(method ?? HttpMethod.Get, path);
        using var response = await http.SendAsync(request, TestContext.Current.CancellationToken);
        await using var answer =
            await response.EnsureSuccessStatusCode().Content.ReadAsStreamAsync(TestContext.Current.CancellationToken);
        return (await JsonDocument.ParseAsync(answer, cancellationToken: TestContext.Current.CancellationToken)).RootElement;
    }
}
