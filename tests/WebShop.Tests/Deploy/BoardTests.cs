using System.Text.Json;
using System.Text.RegularExpressions;

namespace WebShop.Tests.Deploy;

public sealed partial class BoardTests
{
    [Fact]
    public void Every_metric_of_the_board_is_one_that_there_is()
    {
        var documented = Named().Matches(File.ReadAllText(Path.Combine(DeployFiles.Root, "docs", "metrics.md")))
            .Select(match => match.Value.Replace('.', '_')).ToHashSet();
        using var board = JsonDocument.Parse(DeployFiles.Read("grafana/geo.json"));
        var shown = board.RootElement.GetProperty("panels").EnumerateArray()
            .SelectMany(panel => panel.GetProperty("targets").EnumerateArray())
            .SelectMany(target => Shown().Matches(target.GetProperty("expr").GetString()!))
            .Select(match => match.Groups[1].Value).ToArray();

        Assert.True(shown.Length > 10);
        Assert.Empty(shown.Except(documented));
    }

    [GeneratedRegex("geo\\.[a-z_]+\\.[a-z_]+")]
    private static partial Regex Named();

    [GeneratedRegex("(geo_[a-z_]+?)(?:_total|_seconds|_bytes)?\\b")]
    private static partial Regex Shown();
}
