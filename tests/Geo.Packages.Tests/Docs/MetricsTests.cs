using System.Text.RegularExpressions;
using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Docs;

public sealed partial class MetricsTests
{
    private static readonly string[] Pages = ["docs/metrics.md", "docs/operations.md", "docs/overlays.md"];

    [Fact]
    public void Every_instrument_has_its_line_on_a_page_and_no_page_has_one_that_is_gone()
    {
        var source = Repository.SourcesIn("src").Select(File.ReadAllText).ToArray();
        var created = source.SelectMany(text => Created().Matches(text)).Select(match => match.Groups[1].Value).ToHashSet();
        var told = Pages.SelectMany(Page.Lines).Where(line => line.StartsWith("| `geo.", StringComparison.Ordinal))
            .SelectMany(line => Named().Matches(line.Split(" | ")[0])).Select(match => match.Value).ToHashSet();

        Assert.True(created.Count > 60, $"Only {created.Count} instruments were found.");
        Assert.Empty(created.Except(told));

        // Gauges of links are made in a loop over their last words.
        Assert.DoesNotContain(
            told.Except(created), name => !source.Any(text => text.Contains($"\"{name.Split('.')[^1]}\"", StringComparison.Ordinal)));
    }

    [GeneratedRegex(@"(?:\bCreate\w+(?:<\w+>)?|\bCount)\(\s*""(geo\.[a-z_.]+)""")]
    private static partial Regex Created();

    [GeneratedRegex(@"geo\.[a-z_]+\.[a-z_]+")]
    private static partial Regex Named();
}
