using Geo.Tool.Screens;
using Geo.Tool.Tests.Kit;

namespace Geo.Tool.Tests;

public sealed class BadInputTests
{
    [Fact]
    public async Task A_wrong_key_is_refused_with_one_line()
    {
        await using var eu = await Region.StartAsync(new() { Messenger = new ScriptedCluster() });

        var run = await ToolRun.OfAsync(["status", "--url", eu.Admin.ToString()], new string('x', 64));

        Refused(run, "The request's key is not the one that is set");
    }

    [Fact]
    public async Task What_the_endpoint_cannot_do_comes_back_as_one_line()
    {
        await using var eu = await Region.StartAsync(new() { Messenger = new ScriptedCluster() });

        Refused(await eu.RunAsync("move", "counter/a", "--to", "mars"), "'mars' is not among the clusters");
        Refused(await eu.RunAsync("move", "counter/a", "--to", "?"), "refuses: ");
        Refused(await eu.RunAsync("grain", "counter"), "'counter' is no grain: name it as type/key");
        Refused(await eu.RunAsync("watch", "--every", "0"), "--every takes");
    }

    [Theory]
    [InlineData("status --url nonsense", "'nonsense' is no address")]
    [InlineData("status --url http://192.0.2.1:7300", "the key would be read by others")]
    [InlineData("status --url http://127.0.0.1:1", "http://127.0.0.1:1/ cannot be reached: ")]
    [InlineData("status --url https://127.0.0.1:1 --authority nowhere.pem", "'nowhere.pem' cannot be used")]
    [InlineData("status --url https://127.0.0.1:1 --authority ", "'' cannot be used")]
    [InlineData("grain", "Required argument missing")]
    [InlineData("move counter/a", "Option '--to' is required")]
    [InlineData("statos", "See --help.")]
    public async Task A_command_line_that_cannot_be_is_refused_with_one_line(string line, string expected) =>
        Refused(await ToolRun.OfAsync(line.Split(' '), Region.Key), expected);

    [Theory]
    [InlineData("/nowhere/key")]
    [InlineData("")]
    public async Task A_key_that_is_missing_is_told(string file) =>
        Refused(await ToolRun.OfAsync(["status", "--key-file", file], null), "The key cannot be read");

    [Fact]
    public async Task A_watch_goes_on_where_a_silo_does_not_answer_and_says_so_each_time()
    {
        var run = await ToolRun.OfAsync(["watch", "--every", "0.1", "--count", "2", "--url", "http://127.0.0.1:1"], Region.Key);

        Assert.Equal(EntryPoint.Refused, run.ExitCode);
        Assert.Equal(2, run.Output.Split("cannot be reached").Length - 1);
    }

    [Theory]
    [InlineData("cart/42", "cart/42")]
    [InlineData("a\u001b[2Jb\u0007", "a\\u001b[2Jb\\u0007")]
    [InlineData("a\u202eb\u2028", "a\\u202eb\\u2028")]
    [InlineData("日本", "日本")]
    public void What_would_steer_the_terminal_is_spelt_out(string key, string shown) => Assert.Equal(shown, Words.Printable(key));

    private static void Refused(ToolRun run, string expected)
    {
        Assert.Equal(EntryPoint.Refused, run.ExitCode);
        var line = Assert.Single(run.Errors.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.StartsWith("geo: ", line);
        Assert.Contains(expected, line);
    }
}
