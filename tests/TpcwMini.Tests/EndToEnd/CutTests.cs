using System.Text.Json;
using TpcwMini.Commands;
using TpcwMini.Options;

namespace TpcwMini.Tests.EndToEnd;

public sealed class CutTests
{
    private const int From = 1;

    // How long the others may miss calls after the cut has begun, and all of them after it has ended; what fails later is an error.
    private static readonly int _window = (int)Defaults.CutWindow.TotalSeconds;

    [Theory]
    [InlineData("quorum", "single", "lin")]
    [InlineData("optimistic", "single", "lin")]
    [InlineData("pessimistic", "multi", "mixed")]
    public Task A_region_that_is_cut_off_costs_no_confirmed_order_and_the_others_sell_on(string mode, string instancing, string reads) =>
        AssertAsync(mode, seconds: 17, until: 9, "--instancing", instancing, "--reads", reads);

    [Fact]
    public async Task The_same_on_Orleans()
    {
        Assert.SkipUnless(OrleansProgram.IsBuilt, "The package sources of this build did not serve Orleans.");
        await AssertAsync("quorum", seconds: 15, until: 8, "--host", "orleans");
    }

    private static async Task AssertAsync(string mode, int seconds, int until, params string[] options)
    {
        using var folder = new WorkFolder();
        var (json, html, cut) = (folder.File("run.json"), folder.File("run.html"), $"eu@{From}:{until}");
        var outcome = await SampleProcess.RunAsync(
            folder,
            [
                .. SmallLoad.Options, "--clusters", "us,eu,asia", "--stock", "50", "--seconds", $"{seconds}", "--mode", mode, .. options,
                "--cut", cut, "--json", json, "--html", html,
            ]);

        outcome.AssertPassed();
        using var run = JsonDocument.Parse(await File.ReadAllTextAsync(json, TestContext.Current.CancellationToken));
        Assert.Equal((mode, cut), (run.RootElement.GetProperty("mode").GetString(), run.RootElement.GetProperty("cut").GetString()));

        // Of a call that began when nothing excuses it any more; there are such, in each region.
        Assert.Equal(0, run.RootElement.GetProperty("errors").GetInt64());
        foreach (var region in (string[])["us", "asia"])
        {
            var alone = InTime(run, region).Take(until).Skip(From + _window);
            Assert.True(alone.Sum() > 0, $"{region} sells nothing without eu\n{outcome.Output}");
        }

        foreach (var region in (string[])["us", "eu", "asia"])
        {
            var again = InTime(run, region).Skip(until + _window);
            Assert.True(again.Sum() > 0, $"{region} does not sell again\n{outcome.Output}");
        }

        Assert.Contains($"^ eu is cut off at {From} s", outcome.Output);
        Assert.Contains($"^ eu is back at {until} s", outcome.Output);
        var page = await File.ReadAllTextAsync(html, TestContext.Current.CancellationToken);
        Assert.Contains("Calls a second by customers of eu", page);
        Assert.Contains(">eu is cut off<", page);
    }

    private static List<long> InTime(JsonDocument run, string region) =>
    [
        .. run.RootElement.GetProperty("stepsInTimePerSecond").GetProperty(region).EnumerateArray().Select(second => second.GetInt64()),
    ];
}
