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

    [Fact]
    public async Task A_region_that_is_lost_for_ever_is_given_up_by_a_command_and_not_while_it_answers()
    {
        string[] both = ["us", "eu"];
        await using var us = await StartAsync(new() { Cluster = "us", Other = "eu" }, both);
        var eu = await StartAsync(new() { OtherAddress = us.Silo.ListeningOn!.ToString() }, both);
        var versions = (QuorumConditionalStore)us.Silo.FindStore("versions");
        var first = await versions.WriteAsync("k", new byte[3], null, TestContext.Current.CancellationToken);
        var refused = await us.RunAsync("keepers", "force", "versions", "eu");
        Assert.Equal(EntryPoint.Refused, refused.ExitCode);
        Assert.Contains("a majority answers, [eu, us]", refused.Output.ReplaceLineEndings(" "), StringComparison.Ordinal);

        await eu.DisposeAsync();
        var all = await us.RunAsync("keepers", "force", "versions", "eu", "us");
        Assert.Equal(EntryPoint.Refused, all.ExitCode);
        Assert.Contains("cluster us answers", all.Output.ReplaceLineEndings(" "), StringComparison.Ordinal);
        var forced = await us.RunAsync("keepers", "force", "versions", "eu");
        Assert.Equal(0, forced.ExitCode);
        var told = forced.Output.ReplaceLineEndings(" ");
        Assert.Contains("Version 3: [us] keep the store. [eu] count no more.", told, StringComparison.Ordinal);
        Assert.Contains("make sure that none of their silos runs", told, StringComparison.Ordinal);
        Assert.Equal("versions 3 us True", Row(await us.RunAsync("keepers", "--json")));
        Assert.Equal(first.ETag, (await versions.ReadAsync("k", TestContext.Current.CancellationToken)).ETag);
    }

    private static Task<Region> StartAsync(RegionOptions options, params string[] clusters) => Region.StartAsync(options with
    {
        Geo = geo => geo.AddQuorumStore("versions", clusters is [] ? ["us"] : clusters, _ => new InMemoryConditionalStore()),
    });

    private static string Row(ToolRun run)
    {
        var row = Assert.Single(run.ReadJson().GetProperty("stores").EnumerateArray());
        var clusters = string.Join(",", row.GetProperty("clusters").EnumerateArray().Select(c => c.GetString()));
        var (store, version) = (row.GetProperty("store").GetString(), row.GetProperty("version").GetInt64());
        return $"{store} {version} {clusters} {row.GetProperty("settled").GetBoolean()}";
    }
}
