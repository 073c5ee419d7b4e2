using System.Text.RegularExpressions;
using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Docs;

public sealed partial class MutationTableTests
{
    [Fact]
    public void A_test_class_that_is_said_to_miss_a_rule_names_it()
    {
        var named = Page.Lines("docs/simulation.md").Select(line => Row().Match(line)).Where(row => row.Success)
            .SelectMany(
                row => Class().Matches(row.Groups["by"].Value), (row, by) => (Rule: row.Groups["rule"].Value, By: by.Groups[1].Value))
            .ToArray();
        var silent = named.Where(row => !Sources(row.By).Any(source => Regex.IsMatch(source, $@"\b{row.Rule}\b")))
            .Select(row => $"{row.By} does not name {row.Rule}").ToArray();

        Assert.True(named.Length > 40, $"Only {named.Length} classes were found.");
        Assert.True(silent.Length == 0, string.Join(Environment.NewLine, silent));
    }

    private static IEnumerable<string> Sources(string test) =>
        Repository.SourcesIn("tests").Where(file => Path.GetFileNameWithoutExtension(file) == test).Select(File.ReadAllText);

    [GeneratedRegex(@"^\| `(?<rule>\w+)` \| [^|]* \| [^|]* \| (?<by>.*) \|$")]
    private static partial Regex Row();

    [GeneratedRegex(@"`(\w+Tests)[.`]")]
    private static partial Regex Class();
}
