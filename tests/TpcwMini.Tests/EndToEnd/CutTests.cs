using System.Text.Json;

namespace TpcwMini.Tests.EndToEnd;

public sealed class CutTests
{
    [Theory]
    [InlineData("quorum", "single", "lin")]
    [InlineData("optimistic", "single", "lin")]
    [InlineData("pessimistic", "multi", "mixed")]
    public async Task A_region_that_is_cut_off_costs_no_confirmed_order_and_the_others_sell_on(string mode, string instancing, string reads)
    {
        using var folder = new WorkFolder();
        var (json, html) = (folder.File("run.json"), folder.File("run.html"));
        var outcome = await SampleProcess.RunAsync(
            folder,
            [
                .. SmallLoad.Options, "--clusters", "us,eu,asia", "--stock", "50", "--seconds", "16", "--mode", mode,
                "--instancing", instancing, "--reads", reads, "--cut", "eu@1:8", "--json", json, "--html", html,
            ]);

        outcome.AssertPassed();
        using var run = JsonDocument.Parse(await File.ReadAllTextAsync(json, TestContext.Current.CancellationToken));
        Assert.Equal((mode, "eu@1:8"), (run.RootElement.GetProperty("mode").GetString(), run.RootElement.GetProperty("cut").GetString()));
        Assert.Equal(0, run.RootElement.GetProperty("errors").GetInt64());
        foreach (var region in (string[])["us", "asia"])
        {
            Assert.True(InTime(run, region).Take(8).Skip(4).Sum() > 0, $"{region} sells nothing without eu\n{outcome.Output}");
        }

        Assert.True(InTime(run, "eu").TakeLast(4).Sum() > 0, $"eu does not sell again\n{outcome.Output}");
        Assert.Contains("^ eu is cut off at 1 s", outcome.Output);
        Assert.Contains("^ eu is back at 8 s", outcome.Output);
        var page = await File.ReadAllTextAsync(html, TestContext.Current.CancellationToken);
        Assert.Contains("Calls a second by customers of eu", page);
        Assert.Contains(">eu is cut off<", page);
    }

    private static List<long> InTime(JsonDocument run, string region) =>
    [
        .. run.RootElement.GetProperty("stepsInTimePerSecond").GetProperty(region).EnumerateArray().Select(second => second.GetInt64()),
    ];
}
