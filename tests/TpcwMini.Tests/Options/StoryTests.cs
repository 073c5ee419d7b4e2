using Spectre.Console;
using TpcwMini.Commands;
using TpcwMini.Options;

namespace TpcwMini.Tests.Options;

public sealed class StoryTests
{
    [Theory]
    [InlineData]
    [InlineData("--json", "result.json", "--seed", "3")]
    public void Without_options_that_shape_a_run_a_region_is_killed_and_comes_back(params string[] arguments)
    {
        var options = Read(arguments);

        Assert.Equal(Story.Kill, options.Kill);
        Assert.Equal(Story.Robots, options.Robots);
        Assert.Equal(Story.Variant, options.Variant);

        // Not even if all customers wanted the same item could it sell out.
        Assert.InRange(options.Robots * (options.Warmup + options.Seconds) / 4, 1, options.StockOfEachItem());
    }

    [Theory]
    [InlineData("--robots", "60")]
    [InlineData("--matrix")]
    [InlineData("--seconds", "8")]
    public void With_one_a_run_is_what_the_options_and_their_defaults_say(params string[] arguments)
    {
        var options = Read(arguments);

        Assert.Null(options.Kill);
        Assert.Equal(0, options.Stock);
        Assert.EndsWith(" -- " + string.Join(' ', arguments), options.Command);
    }

    private static RunOptions Read(string[] arguments)
    {
        var command = new TpcwCommand();
        return command.Read(command.Create(AnsiConsole.Console, arguments).Parse(arguments), arguments).Options;
    }
}
