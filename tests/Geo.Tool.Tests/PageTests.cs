using System.CommandLine;
using Geo.Packages.Tests.Docs;
using Geo.Tool.Commands;
using Spectre.Console;

namespace Geo.Tool.Tests;

public sealed class PageTests
{
    [Fact]
    public void Every_command_of_a_page_is_one_that_the_tool_takes()
    {
        var commands = PageCommand.Running("src/Geo.Tool", "geo").Where(run => run.Arguments.Length > 0).ToArray();

        Assert.True(commands.Length > 30, $"Only {commands.Length} commands were found.");
        Assert.Empty(commands.Where(run => !Takes(run.Command, run.Arguments)).Select(run => run.Command.ToString()));
    }

    private static bool Takes(PageCommand command, string[] arguments)
    {
        var parsed = GeoCommands.Create(AnsiConsole.Console, TextWriter.Null).Parse(arguments);
        return command.IsMention
            ? parsed.UnmatchedTokens.Count == 0 && parsed.CommandResult.Command is not RootCommand
            : parsed.Errors.Count == 0;
    }
}
