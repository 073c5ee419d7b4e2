using System.Net;
using System.Text.Json;
using Geo.Tool.Tests.Kit;

namespace Geo.Tool.Tests;

public sealed class ConfigurationTests
{
    private static readonly (HttpStatusCode Status, string Body) Stopping =
        (HttpStatusCode.ServiceUnavailable, """{"error":"The silo stops."}""");

    private readonly InMemoryConditionalStore _shared = new();

    [Fact]
    public async Task A_region_is_drained_and_comes_back_by_commands_while_both_run()
    {
        await using var us = await StartAsync(new() { Cluster = "us", Other = "eu" });
        await using var eu = await StartAsync(new() { OtherAddress = us.Silo.ListeningOn!.ToString() });
        await Eventually.Is(
            () => us.RunAsync("config"), run => run.Output.Contains("Version 1. Nothing is waited for.", StringComparison.Ordinal));
        await eu.Grains.GetGrain<ICounter>("a").Add(1);

        var absent = await us.RunAsync("config", "add", "asia", "127.0.0.1:1");
        Assert.Equal(EntryPoint.Refused, absent.ExitCode);
        Assert.Contains("'asia' does not say that it runs", Flat(absent), StringComparison.Ordinal);

        var drained = await us.RunAsync("drain", "eu");
        Assert.Equal(0, drained.ExitCode);
        Assert.Contains("'eu' has gone", Flat(drained), StringComparison.Ordinal);
        Assert.Contains("in no cluster", (await us.RunAsync("grain", "counter/a")).Output, StringComparison.Ordinal);
        var history = (await eu.RunAsync("grain", "counter/a", "--json")).ReadJson().GetProperty("history").GetProperty("moves");
        Assert.Equal("Its cluster leaves the multi-cluster.", history[0].GetProperty("why").GetString());
        var changes = (await us.RunAsync("status", "--json")).ReadJson().GetProperty("changes").EnumerateArray();
        Assert.Equal(
            ["3 'eu' has gone.", "2 'eu' leaves.", "1 The silo began with it: eu, us."],
            changes.Select(change => $"{change.GetProperty("version").GetInt64()} {change.GetProperty("what").GetString()}"));
        await us.Grains.GetGrain<ICounter>("a").Add(1);

        await Eventually.Is(
            () => us.RunAsync("config", "add", "eu", eu.Silo.ListeningOn!.ToString()), run => run.ExitCode == 0);
        await Eventually.Is(
            () => eu.RunAsync("config"),
            run => run.Output.Contains("Version 5. Nothing is waited for.", StringComparison.Ordinal)
                && run.Output.Contains(eu.Silo.ListeningOn!.ToString(), StringComparison.Ordinal));
        await Eventually.Is(
            () => us.RunAsync("config", "force", "us", "eu"),
            run => Flat(run).Contains("no member would be left", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_region_without_the_configuration_store_does_not_start_beside_one_that_has_it()
    {
        await using var us = await StartAsync(new() { Cluster = "us", Other = "eu" });
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Region.StartAsync(new() { OtherAddress = us.Silo.ListeningOn!.ToString() }));
        Assert.Contains("one goes by a configuration store", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_a_configuration_store_there_is_nothing_to_change()
    {
        await using var eu = await Region.StartAsync(new() { Messenger = new ScriptedCluster() });
        var refused = await eu.RunAsync("config");
        Assert.NotEqual(0, refused.ExitCode);
        Assert.Contains("name a ConfigurationStore", refused.Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_drain_goes_on_through_looks_that_fail_and_prints_nothing_but_its_answer_as_JSON()
    {
        await using var endpoint = new ScriptedEndpoint(
            Stage("member"), (HttpStatusCode.OK, """{"applied":true,"text":"'eu' leaves."}"""), Stage("leaving", "Waiting for 3 grains."),
            Stopping, Stage("leaving", "Waiting for 1 grain."), Stage("outside"));

        var run = await ToolRun.OfAsync(["drain", "eu", "--json", "--url", endpoint.Address.ToString()], Region.Key);

        Assert.Equal(0, run.ExitCode);
        Assert.Equal(0, endpoint.Left);
        Assert.Equal("outside", run.ReadJson().GetProperty("clusters")[0].GetProperty("stage").GetString());
        Assert.Collection(
            run.Errors.Split('\n', StringSplitOptions.RemoveEmptyEntries),
            line => Assert.Equal("'eu' leaves.", line),
            line => Assert.Equal("Waiting for 3 grains.", line),
            line => Assert.EndsWith("refuses: The silo stops. It is asked again.", line),
            line => Assert.Equal("Waiting for 1 grain.", line));
    }

    [Fact]
    public async Task A_drain_without_an_answer_for_longer_than_it_is_to_wait_ends_with_what_was_wrong()
    {
        await using var endpoint = new ScriptedEndpoint(Stage("leaving"), Stopping);

        var run = await ToolRun.OfAsync(["drain", "eu", "--patience", "0", "--url", endpoint.Address.ToString()], Region.Key);

        Assert.Equal(EntryPoint.Refused, run.ExitCode);
        Assert.EndsWith("refuses: The silo stops.", run.Errors.TrimEnd());
    }

    private static (HttpStatusCode Status, string Body) Stage(string stage, string? waiting = null) => (
        HttpStatusCode.OK,
        JsonSerializer.Serialize(
            new { waiting, version = 2, clusters = new[] { new { cluster = "eu", stage, entryPoints = Array.Empty<string>() } } }));

    private static string Flat(ToolRun run) => run.Output.ReplaceLineEndings(" ");

    private Task<Region> StartAsync(RegionOptions options) => Region.StartAsync(options with
    {
        Geo = geo => geo.AddStore("configuration", _ => _shared).Configure(settings =>
        {
            settings.ConfigurationStore = "configuration";
            settings.Directory = settings.Directory with { ConfigurationRefresh = TimeSpan.FromMilliseconds(100) };
        }),
    });
}
