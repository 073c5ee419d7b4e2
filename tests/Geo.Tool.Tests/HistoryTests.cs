using System.Text.Json;
using Geo.Tool.Tests.Dashboard;
using Geo.Tool.Tests.Kit;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Geo.Tool.Tests;

/// <summary>What <c>geo</c> tells of the past of grains and of the configuration.</summary>
public sealed class HistoryTests
{
    [Fact]
    public async Task A_grains_moves_are_told_in_either_region_with_where_why_and_when()
    {
        var began = DateTimeOffset.UtcNow;
        await using var us = await Region.StartAsync(new() { Cluster = "us", Other = "eu" });
        await using var eu = await Region.StartAsync(new() { OtherAddress = us.Silo.ListeningOn!.ToString() });
        await Eventually.Is(
            async () => (await us.RunAsync("clusters", "--json")).ReadJson().GetProperty("roundTrips").GetArrayLength(),
            trips => trips == 2);
        Assert.Contains("No silo remembers a move of it.", (await us.RunAsync("grain", "counter/a")).Output, StringComparison.Ordinal);

        await us.Grains.GetGrain<ICounter>("a").Add(1);
        await us.Grains.GetGrain<ICounter>("other").Add(1);
        Assert.Equal(0, (await us.RunAsync("move", "counter/a", "--to", "eu", "--reason", "less load")).ExitCode);

        foreach (var region in new[] { us, eu })
        {
            var answer = (await region.RunAsync("grain", "counter/a", "--json")).ReadJson();
            var moves = answer.GetProperty("history").GetProperty("moves").EnumerateArray().ToList();
            Assert.Equal(
                ["eu Acquired", "us MovedAway", "us Acquired"], moves.Select(move => $"{Text(move, "told")} {Text(move, "kind")}"));
            Assert.Equal("less load", Text(moves[1], "why"));
            Assert.Equal("us", Text(moves[1].GetProperty("from"), "cluster"));
            Assert.Equal("eu", Text(moves[1].GetProperty("to"), "cluster"));
            Assert.Equal(moves[0].GetProperty("at").GetDateTimeOffset(), answer.GetProperty("since").GetDateTimeOffset());
            Assert.InRange(answer.GetProperty("since").GetDateTimeOffset(), began, DateTimeOffset.UtcNow);
        }

        var shown = await us.RunAsync("grain", "counter/a");
        Assert.Matches("counter/a: in eu, on silo eu/[^,]*, since [0-9]{4}-", shown.Output.ReplaceLineEndings(" "));
        Assert.Contains("MovedAway", shown.Output, StringComparison.Ordinal);
        Assert.Contains("less load", shown.Output, StringComparison.Ordinal);

        // All grains' moves, for pages.
        var overview = (await eu.RunAsync("status", "--json")).ReadJson();
        var grains = overview.GetProperty("history").GetProperty("moves").EnumerateArray().Select(move => Text(move, "grain"));
        Assert.Equal(["counter/a", "counter/a", "counter/a", "counter/other"], grains.Order(StringComparer.Ordinal));
        Assert.Equal(0, overview.GetProperty("changes").GetArrayLength());

        Assert.Equal(0, (await eu.RunAsync("release", "counter/a")).ExitCode);
        var released = (await us.RunAsync("grain", "counter/a", "--json")).ReadJson();
        Assert.False(released.TryGetProperty("since", out _));
        Assert.Equal("Released", Text(released.GetProperty("history").GetProperty("moves")[0], "kind"));
    }

    [Fact]
    public async Task A_grain_in_doubt_tells_who_did_not_answer()
    {
        await using var eu = await Region.StartAsync(new() { Messenger = new ScriptedCluster() });
        await eu.Grains.GetGrain<ICounter>("a").Add(1);

        var answer = (await eu.RunAsync("grain", "counter/a", "--json")).ReadJson();

        var move = Assert.Single(answer.GetProperty("history").GetProperty("moves").EnumerateArray());
        Assert.Equal("BecameDoubtful", Text(move, "kind"));
        Assert.Contains("'us' does not answer", Text(move, "why"), StringComparison.Ordinal);
        Assert.Equal(Text(answer, "node"), Text(move.GetProperty("to"), "silo"));
    }

    [Fact]
    public async Task As_much_is_remembered_as_the_settings_say_and_the_rest_is_counted()
    {
        await using var eu = await Region.StartAsync(new()
        {
            Messenger = new ScriptedCluster(),
            Geo = geo => geo.Configure(settings => settings.Directory = settings.Directory with { JournalSize = 1 }),
        });
        await eu.Grains.GetGrain<ICounter>("a").Add(1);
        await eu.Grains.GetGrain<ICounter>("b").Add(1);

        var run = await eu.RunAsync("grain", "counter/a");

        Assert.Contains("No silo remembers a move of it.", run.Output, StringComparison.Ordinal);
        Assert.Contains("Silos have forgotten 1 older moves, of any grain.", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("[null]")]
    [InlineData("\"nothing\"")]
    [InlineData("""[{"at":"2026-01-01T00:00:00+00:00"}]""")]
    [InlineData("""[{"at":"2026-01-01T00:00:00+00:00","grain":"a/b","kind":"Acquired","told":"us","why":"x","to":{}}]""")]
    public async Task What_another_cluster_tells_and_cannot_be_is_left_out(string moves)
    {
        var us = new ScriptedCluster();
        us.Summary!["moves"] = JsonDocument.Parse(moves).RootElement;
        await using var eu = await Region.StartAsync(new() { Messenger = us });

        var run = await eu.RunAsync("status", "--json");

        Assert.Equal(0, run.ExitCode);
        Assert.Equal(0, run.ReadJson().GetProperty("history").GetProperty("moves").GetArrayLength());
    }

    [Fact]
    public async Task A_silo_of_an_earlier_version_that_tells_no_history_is_shown_without()
    {
        const string told = """{"key":"counter/a","cluster":"us","node":"us/1","why":"It said so.","clusters":[]}""";
        await using var silo = await Application.StartAsync(
            new() { Messenger = new ScriptedCluster() }, web => web.MapGet("/geo/grain", context => context.Response.WriteAsync(told)));

        var run = await ToolRun.OfAsync(["grain", "counter/a", "--url", silo.Http.BaseAddress!.ToString()], Region.Key);

        Assert.Equal(0, run.ExitCode);
        Assert.StartsWith("counter/a: in us, on silo us/1. It said so.", run.Output, StringComparison.Ordinal);
    }

    private static string? Text(JsonElement of, string name) => of.GetProperty(name).GetString();
}
