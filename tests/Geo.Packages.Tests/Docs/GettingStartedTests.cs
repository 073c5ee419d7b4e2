using System.Diagnostics;
using System.Globalization;
using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Docs;

/// <summary>The first minutes of a newcomer, in an empty folder outside the repository, with the packages as they are packed.</summary>
public sealed class GettingStartedTests(PackedPackages packages)
{
    [Fact]
    public async Task The_getting_started_page_works_as_it_stands()
    {
        const string page = "docs/getting-started.md";
        var began = Stopwatch.GetTimestamp();
        var walk = new Walkthrough(page, packages);
        await using var us = await walk.NextProgramAsync();
        await us.PrintsAsync(Quoted(page, "us sells blue shirts. Type the name of an order, or nothing to close."));
        await using var eu = await walk.NextProgramAsync();
        await eu.PrintsAsync(Quoted(page, "eu sells blue shirts. Type the name of an order, or nothing to close."));

        await SellInBothAsync(page, us, eu);
        await us.InterruptAsync();
        await eu.AnswersAsync(Quoted(page, "order-3"), Quoted(page, "sold, 97 left"));

        await using var client = await walk.NextProgramAsync();
        await client.PrintsAsync(Quoted(page, "97 shirts left"));
        await client.EndsAsync();
        eu.Type("");
        await eu.EndsAsync();
        Tell(page, began);
    }

    [Fact]
    public async Task The_getting_started_page_of_Orleans_works_as_it_stands()
    {
        Assert.SkipUnless(Repository.HasOrleans, "The package sources do not serve Microsoft Orleans.");
        const string page = "docs/getting-started-orleans.md";
        var began = Stopwatch.GetTimestamp();
        var walk = new Walkthrough(page, packages);
        await using var us = await walk.NextProgramAsync();
        await us.PrintsAsync(Quoted(page, "us sells blue shirts. Type the name of an order, or nothing to close."));
        await using var eu = await walk.NextProgramAsync();
        await eu.PrintsAsync(Quoted(page, "eu sells blue shirts. Type the name of an order, or nothing to close."));

        await SellInBothAsync(page, us, eu);
        us.Type("");
        await us.EndsAsync();
        await eu.AnswersAsync(Quoted(page, "order-3"), Quoted(page, "sold, 97 left"));
        eu.Type("");
        await eu.EndsAsync();
        Tell(page, began);
    }

    private static async Task SellInBothAsync(string page, RunningProgram us, RunningProgram eu)
    {
        us.Type(Quoted(page, "order-1"));
        await us.PrintsAsync(Quoted(page, "sold, 99 left"));
        eu.Type(Quoted(page, "order-2"));
        await eu.PrintsAsync(Quoted(page, "sold, 98 left"));
    }

    private static void Tell(string page, long began) => TestContext.Current.TestOutputHelper!.WriteLine(string.Create(
        CultureInfo.InvariantCulture,
        $"{page}: {Stopwatch.GetElapsedTime(began).TotalSeconds:0.0} s from the empty folder to the last program's end"));

    // What is typed and printed here is what the page says is typed and printed.
    private static string Quoted(string page, string line)
    {
        Assert.Contains(line, Page.Blocks(page).Where(block => block.Language == "text").SelectMany(block => block.Lines));
        return line;
    }
}
