using Geo.Packages.Tests.Docs;

namespace Geo.Experiments.Tests;

public sealed class PageTests
{
    [Fact]
    public void Every_command_of_a_page_is_one_that_the_program_takes()
    {
        var commands = PageCommand.Running("benchmarks/Geo.Experiments").ToArray();

        Assert.True(commands.Length > 8, $"Only {commands.Length} commands were found.");
        foreach (var (command, arguments) in commands)
        {
            var parsed = ExperimentCommands.Create().Parse(arguments);
            Assert.True(parsed.Errors.Count == 0, $"{command}: {string.Join(" ", parsed.Errors)}");
        }
    }
}
