using System.Text.Json;

namespace TpcwMini.Tests.EndToEnd;

public sealed class KillTests
{
    [Theory]
    [InlineData("basic", "single", "lin")]
    [InlineData("versioned", "single", "lin")]
    [InlineData("versioned", "multi", "mixed")]
    public async Task A_killed_cluster_costs_no_confirmed_order_and_the_other_serves_on(string api, string instancing, string reads)
    {
        using var folder = new WorkFolder();
        var json = folder.File("run.json");
        var outcome = await SampleProcess.RunAsync(
            folder,
            [
                .. SmallLoad.Options, "--stock", "50", "--seconds", "4", "--api", api, "--instancing", instancing, "--reads", reads,
                "--kill", "eu@1", "--json", json,
            ]);

        outcome.AssertPassed();
        using var run = JsonDocument.Parse(await File.ReadAllTextAsync(json, TestContext.Current.CancellationToken));
        var survivor = run.RootElement.GetProperty("stepsInTimePerSecond").GetProperty("us").EnumerateArray()
            .Select(second => second.GetInt64()).ToList();
        Assert.True(survivor[^2] + survivor[^1] > 0, outcome.Output);
        Assert.Equal("eu@1", run.RootElement.GetProperty("kill").GetString());
    }

    [Fact]
    public async Task A_killed_cluster_comes_back_with_an_empty_memory_and_sells_on()
    {
        using var folder = new WorkFolder();
        var (json, html) = (folder.File("run.json"), folder.File("run.html"));
        var outcome = await SampleProcess.RunAsync(
            folder,
            [
                .. SmallLoad.Options, "--stock", "500", "--seconds", "20", "--instancing", "multi", "--reads", "mixed",
                "--kill", "eu@1-2", "--json", json, "--html", html,
            ]);

        outcome.AssertPassed();
        using var run = JsonDocument.Parse(await File.ReadAllTextAsync(json, TestContext.Current.CancellationToken));
        var returned = run.RootElement.GetProperty("stepsInTimePerSecond").GetProperty("eu").EnumerateArray()
            .Select(second => second.GetInt64()).ToList();
        Assert.True(returned[^3] + returned[^2] + returned[^1] > 0, outcome.Output);
        Assert.Contains("^ eu is killed at 1 s", outcome.Output);
        Assert.Contains("^ eu is started again at 2 s", outcome.Output);
        var page = await File.ReadAllTextAsync(html, TestContext.Current.CancellationToken);
        Assert.Contains("interrupted by the kill", page);
        Assert.Contains("--kill eu@1-2", page);
    }
}
