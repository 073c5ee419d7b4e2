using Geo.Packages.Tests.Docs;
using Spectre.Console;
using TpcwMini.Commands;

namespace TpcwMini.Tests.Options;

public sealed class PageTests
{
    [Fact]
    public void Every_command_of_a_page_is_one_that_the_program_takes()
    {
        var commands = PageCommand.Running("samples/TpcwMini").Where(run => run.Arguments.Length > 0).ToArray();

        Assert.True(commands.Length > 6, $"Only {commands.Length} commands were found.");
        foreach (var (command, arguments) in commands)
        {
            var program = new TpcwCommand();
            var parsed = program.Create(AnsiConsole.Console, arguments).Parse(arguments);
            Assert.True(parsed.Errors.Count == 0, $"{command}: {string.Join(" ", parsed.Errors)}");
            Assert.NotNull(program.Read(parsed, arguments));
        }
    }
}
