using System.Text.Json;

namespace TpcwMini.Tests.EndToEnd;

/// <summary>A region is added and one is drained while customers of all of them buy, on either host: no call fails.</summary>
internal static class LiveRun
{
    public static async Task AssertAsync(string drained, params string[] host)
    {
        using var folder = new WorkFolder();
        var json = folder.File("run.json");
        var outcome = await SampleProcess.RunAsync(
            folder,
            [
                .. SmallLoad.Options, .. host, "--stock", "50", "--seconds", "16", "--add", "asia@1", "--drain", $"{drained}@6",
                "--json", json,
            ]);

        outcome.AssertPassed();
        using var document = JsonDocument.Parse(await File.ReadAllTextAsync(json, TestContext.Current.CancellationToken));
        var run = document.RootElement;
        foreach (var mustBeZero in (string[])["oversoldItems", "lostOrders", "duplicateOrders", "errors", "interrupted"])
        {
            Assert.Equal(0, run.GetProperty(mustBeZero).GetInt64());
        }

        Assert.Equal(
            ["asia is added", "asia is a member", $"{drained} is drained", $"{drained} has gone"],
            run.GetProperty("moments").EnumerateArray().Select(moment => moment.GetProperty("what").GetString()));
        foreach (var region in run.GetProperty("stepsInTimePerSecond").EnumerateObject())
        {
            // Customers of all three buy, those of the region that has gone through another one.
            Assert.True(region.Value.EnumerateArray().TakeLast(2).Sum(second => second.GetInt64()) > 0, $"{region}\n{outcome.Output}");
        }
    }
}
