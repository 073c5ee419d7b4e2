using System.Text.Json;
using TpcwMini.Commands;

namespace TpcwMini.Tests.EndToEnd;

/// <summary>The sample on Orleans, where the build had it.</summary>
public sealed class OrleansTests
{
    private static readonly string[] TwoSilos = [.. SmallLoad.Options, "--host", "orleans", "--silos", "2"];

    [Fact]
    public async Task Without_Orleans_its_host_is_refused_in_one_line()
    {
        Assert.SkipWhen(OrleansProgram.IsBuilt, "This build has Orleans.");
        using var folder = new WorkFolder();

        (await SampleProcess.RunAsync(folder, TwoSilos)).AssertRefused("--host orleans is not in this build");
    }

    [Fact]
    public async Task A_region_comes_and_goes_on_Orleans_and_no_call_fails()
    {
        Assert.SkipUnless(OrleansProgram.IsBuilt, "The package sources of this build did not serve Orleans.");
        await LiveRun.AssertAsync(drained: "asia", "--host", "orleans");
    }

    [Fact]
    public async Task The_same_shop_on_Orleans_breaks_no_promise_when_a_silo_is_killed()
    {
        Assert.SkipUnless(OrleansProgram.IsBuilt, "The package sources of this build did not serve Orleans.");
        using var folder = new WorkFolder();
        var json = folder.File("run.json");

        var outcome = await SampleProcess.RunAsync(
            folder, [.. TwoSilos, "--stock", "50", "--seconds", "15", "--kill", "eu/1@1", "--json", json]);

        outcome.AssertPassed();
        using var run = JsonDocument.Parse(await File.ReadAllTextAsync(json, TestContext.Current.CancellationToken));
        Assert.Equal("orleans", run.RootElement.GetProperty("host").GetString());
        Assert.True(run.RootElement.GetProperty("confirmedOrders").GetInt64() > 0);
        foreach (var perSecond in run.RootElement.GetProperty("stepsInTimePerSecond").EnumerateObject())
        {
            // Both regions sell at the end, that of the killed silo included.
            var steps = perSecond.Value.EnumerateArray().Select(second => second.GetInt64()).ToList();
            Assert.True(steps.TakeLast(5).Sum() > 0, $"{perSecond.Name}: {string.Join(' ', steps)}\n{outcome.Output}");
        }
    }
}
