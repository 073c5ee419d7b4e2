using Geo.Storage.Quorum;
using Geo.Tool.Tests.Kit;

namespace Geo.Tool.Tests;

/// <summary>Who keeps a store by majority is seen and changed by commands.</summary>
public sealed class KeeperTests
{
    [Fact]
    public async Task A_region_keeps_a_store_and_keeps_it_no_more_by_commands_while_both_run()
    {
        await using var us = await StartAsync(new() { Cluster = "us", Other = "eu" });
        await using var eu = await StartAsync(new() { OtherAddress = us.Silo.ListeningOn!.ToString() });
        var versions = (QuorumConditionalStore)us.Silo.FindStore("versions");
        var first = await versions.WriteAsync("k", new byte[3], null, TestContext.Current.CancellationToken);
        Assert.Equal(StoreWriteOutcome.Applied, first.Outcome);
        Assert.Equal("versions 1 us True", Row(await us.RunAsync("keepers", "--json")));

        await Eventually.Is(() => us.RunAsync("keepers", "add", "versions", "eu"), run => run.ExitCode == 0);
        Assert.Equal("versions 2 eu,us True", Row(await eu.RunAsync("keepers", "--json")));
        Assert.Contains("through", (await eu.RunAsync("keepers")).Output, StringComparison.Ordinal);
        var gone = await eu.RunAsync("keepers", "remove", "versions", "eu");
        Assert.Equal(0, gone.ExitCode);
        Assert.Contains("Version 3: [us] keep the store.", gone.Output, StringComparison.Ordinal);
        var found = await eu.Silo.FindStore("versions").ReadAsync("k", TestContext.Current.CancellationToken);
        Assert.Equal((3, first.ETag), (found.Value.Length, found.ETag));
    }

    [Fact]
    public async Task What_cannot_be_is_refused_with_the_reason()
    {
        await using var us = await StartAsync(new() { Cluster = "us", Other = "eu" });
        await using (await StartAsync(new() { OtherAddress = us.Silo.ListeningOn!.ToString() }))
        {
            // It begins when eu has said that it keeps nothing.
            var begun = await us.Silo.FindStore("versions").ReadAsync("k", TestContext.Current.CancellationToken);
            Assert.Equal(StoreReadOutcome.NotFound, begun.Outcome);
        }

        var only = await us.RunAsync("keepers", "remove", "versions", "us");
        Assert.Equal(EntryPoint.Refused, only.ExitCode);
        Assert.Contains("the only cluster", only.Output.ReplaceLineEndings(" "), StringComparison.Ordinal);
        var absent = await us.RunAsync("keepers", "add", "versions", "eu");
        Assert.Equal(EntryPoint.Refused, absent.ExitCode);
        Assert.Contains("eu does not answer", absent.Output.ReplaceLineEndings(" "), StringComparison.Ordinal);
        var other = await us.RunAsync("keepers", "add", "states", "eu");
        Assert.NotEqual(0, other.ExitCode);
        Assert.Contains("no store named 'states'", other.Errors, StringComparison.Ordinal);
    }

    private static Task<Region> StartAsync(RegionOptions options) => Region.StartAsync(options with
    {
        Geo = geo => geo.AddQuorumStore("versions", ["us"], _ => new InMemoryConditionalStore()),
    });

    private static string Row(ToolRun run)
    {
        var row = Assert.Single(run.ReadJson().GetProperty("stores").EnumerateArray());
        var clusters = string.Join(",", row.GetProperty("clusters").EnumerateArray().Select(c => c.GetString()));
        var (store, version) = (row.GetProperty("store").GetString(), row.GetProperty("version").GetInt64());
        return $"{store} {version} {clusters} {row.GetProperty("settled").GetBoolean()}";
    }
}
