using System.Net;
using System.Text.Json;
using Geo.Administration;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Hosting;

/// <summary>The dashboard in an application that is a silo of Orleans; what a browser makes of it is shown with Geo.Embedded.</summary>
public sealed class DashboardTests
{
    private static readonly ClusterId Eu = new("eu");

    [Fact]
    public async Task It_shows_both_clusters_and_what_becomes_of_a_grain_as_it_happens_by_the_word_of_every_silo()
    {
        await using var us = await GeoTestCluster.StartAsync(new()
        {
            Clusters = ["us"],
            Silos = 2,
            Settings = settings => settings.Clusters["eu"] = [],
            Services = services => services.AddGeoAdministration(DashboardSilo.Administration),
        });
        await using var eu = await DashboardSilo.StartAsync(us);
        using (var page = await eu.Http.GetAsync("/geo", TestContext.Current.CancellationToken))
        {
            Assert.Equal(HttpStatusCode.OK, page.StatusCode);
            var text = await page.Content.ReadAsStringAsync(TestContext.Current.CancellationToken);
            Assert.Contains("Recent moves", text, StringComparison.Ordinal);
        }

        await using var stream = await eu.Http.GetStreamAsync("/geo/events", TestContext.Current.CancellationToken);
        using var events = new StreamReader(stream);
        await Eventually.Is("eu-us us-eu", async () => RoundTrips(await NextAsync(events)));

        // Whichever silo it is placed on, and whichever eu asks.
        var spot = us.Grains("us", 1).GetGrain<ISpot>("shown");
        await spot.Where();
        var key = GrainNames.ToKey(spot.GetGrainId());
        await Eventually.Is("us Acquired", async () => Moves((await NextAsync(events)).GetProperty("history")));
        Assert.True(
            await us.SilosOf("us")[0].Services.GetRequiredService<IGeoSilo>().Administration
                .MoveAsync(key, Eu, "less load", TestContext.Current.CancellationToken));
        await Eventually.Is(
            "eu Acquired, us MovedAway, us Acquired", async () => Moves((await NextAsync(events)).GetProperty("history")));

        var found = await FindAsync(eu, key);
        Assert.Equal("eu", found.GetProperty("cluster").GetString());
        Assert.Equal("eu Acquired, us MovedAway, us Acquired", Moves(found.GetProperty("history")));
        Assert.Equal("less load", found.GetProperty("history").GetProperty("moves")[1].GetProperty("why").GetString());
        Assert.Equal(
            found.GetProperty("history").GetProperty("moves")[0].GetProperty("at").GetDateTimeOffset(),
            found.GetProperty("since").GetDateTimeOffset());
    }

    [Fact]
    public async Task A_grain_that_migrates_and_one_whose_silo_is_lost_say_from_which_silo_to_which()
    {
        await using var us = await GeoTestCluster.StartAsync(new()
        {
            Clusters = ["us"],
            Silos = 2,
            LosesSilos = true,
            LeaseDuration = TimeSpan.FromSeconds(2),
            Settings = settings => settings.Clusters["eu"] = [],
            Services = services => services.AddGeoAdministration(DashboardSilo.Administration),
        });
        await using var eu = await DashboardSilo.StartAsync(us);
        var nodes = us.SilosOf("us").Select(silo => silo.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress).ToArray();
        var spot = us.Grains("us").GetGrain<ISpot>("wanders");
        var key = GrainNames.ToKey(spot.GetGrainId());
        await spot.Where();
        var first = await NodeAsync(eu, key);

        // To the second silo, which is lost; the first has the cluster's membership.
        var (kept, lost) = (GrainNames.ToNode(nodes[0]), GrainNames.ToNode(nodes[1]));
        if (first != lost)
        {
            await spot.MoveTo(nodes[1]);
        }

        await Eventually.Is(lost, async () =>
        {
            await spot.Where();
            return await NodeAsync(eu, key);
        });
        await us.SilosOf("us")[1].KillAsync();
        await Eventually.Is(kept, () => Eventually.Succeeds(async () =>
        {
            await spot.Where();
            return await NodeAsync(eu, key);
        }));

        // The lost silo remembers nothing any more, neither what it acquired nor what came to it.
        var last = (await FindAsync(eu, key)).GetProperty("history").GetProperty("moves")[0];
        Assert.Equal("TakenOver", last.GetProperty("kind").GetString());
        Assert.Equal((lost, kept), (Silo(last, "from"), Silo(last, "to")));
    }

    private static async Task<string?> NodeAsync(DashboardSilo silo, GrainKey key) =>
        (await FindAsync(silo, key)).TryGetProperty("node", out var node) ? node.GetString() : null;

    private static string? Silo(JsonElement move, string place) => move.GetProperty(place).GetProperty("silo").GetString();

    private static string Moves(JsonElement history) => string.Join(
        ", ",
        history.GetProperty("moves").EnumerateArray()
            .Select(move => $"{move.GetProperty("told").GetString()} {move.GetProperty("kind").GetString()}"));

    private static string RoundTrips(JsonElement overview) => string.Join(
        ' ',
        overview.GetProperty("roundTrips").EnumerateArray()
            .Select(trip => $"{trip.GetProperty("from").GetString()}-{trip.GetProperty("to").GetString()}").Order(StringComparer.Ordinal));

    private static async Task<JsonElement> FindAsync(DashboardSilo silo, GrainKey key)
    {
        var answer = await silo.Http.GetStringAsync(
            $"/geo/grain?key={Uri.EscapeDataString(key.ToString())}", TestContext.Current.CancellationToken);
        return JsonDocument.Parse(answer).RootElement;
    }

    private static async Task<JsonElement> NextAsync(StreamReader events)
    {
        while (await events.ReadLineAsync(TestContext.Current.CancellationToken) is { } line)
        {
            if (line.StartsWith("data: ", StringComparison.Ordinal))
            {
                return JsonDocument.Parse(line["data: ".Length..]).RootElement;
            }
        }

        throw new InvalidOperationException("The events ended.");
    }
}
