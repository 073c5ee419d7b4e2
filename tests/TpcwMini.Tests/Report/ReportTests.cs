using System.Text.Json;
using System.Xml.Linq;
using TpcwMini.Options;
using TpcwMini.Report;

namespace TpcwMini.Tests.Report;

public sealed class ReportTests
{
    [Fact]
    public void The_json_of_a_run_holds_every_promised_member()
    {
        using var json = JsonDocument.Parse(ResultJson.Write(SampleRun.Of(Variant.Sensible[1])));
        var root = json.RootElement;
        foreach (var member in (string[])
            [
                "clusters", "api", "state", "instancing", "reads", "robots", "seconds", "stepsCompleted", "stepsInTime", "stepsPerSecond",
                "workflowsCompleted", "workflowsAborted", "oversoldItems", "lostOrders", "latencyMs", "errors", "interrupted",
            ])
        {
            Assert.True(root.TryGetProperty(member, out _), member);
        }

        foreach (var step in (string[])["create", "add", "buy", "confirm"])
        {
            var latency = root.GetProperty("latencyMs").GetProperty(step);
            Assert.True(latency.GetProperty("p50").GetDouble() <= latency.GetProperty("p95").GetDouble());
            Assert.True(latency.GetProperty("p95").GetDouble() <= latency.GetProperty("p99").GetDouble());
        }

        Assert.Equal("versioned", root.GetProperty("api").GetString());
    }

    [Fact]
    public void The_matrix_compares_with_basic_and_puts_the_papers_figures_beside()
    {
        var rows = MatrixRow.Of(
            [.. Variant.Sensible.Select((variant, i) => SampleRun.Of(variant) with { StepsPerSecond = 100 * (i + 1) })]);

        Assert.Equal(1, rows[0].RatioToBasic);
        Assert.Equal(2, rows[1].RatioToBasic);
        Assert.Equal(7.07, rows[1].PaperRatioToBasic);
        Assert.Equal(50, rows[2].MixedGainPercent);
        Assert.Null(rows[3].PaperStepsPerSecond);
    }

    [Fact]
    public void The_page_is_well_formed_and_fetches_nothing()
    {
        var run = SampleRun.Of(Variant.Sensible[1]) with
        {
            Kill = "eu@1",
            Moments = [new(1, "eu is killed", "without eu")],
            Violations = ["<item> lost \"one\" & more"],
            LostOrders = 1,
        };
        foreach (var page in (string[])[HtmlReport.Of(run), HtmlReport.Of([run, SampleRun.Of(Variant.Sensible[0])])])
        {
            Assert.DoesNotContain("src=", page);
            Assert.DoesNotContain("href=", page);
            Assert.DoesNotContain("url(", page);
            Assert.DoesNotContain("<script", page);
            Assert.Contains("&lt;item&gt;", page);
            var start = page.IndexOf("<body>", StringComparison.Ordinal);
            var body = page[start..(page.IndexOf("</body>", StringComparison.Ordinal) + "</body>".Length)];
            var parsed = XElement.Parse(body.Replace("<br>", "<br/>", StringComparison.Ordinal));
            Assert.NotEmpty(parsed.Descendants("svg"));
            Assert.NotEmpty(parsed.Descendants("polyline"));
        }
    }

    [Fact]
    public void What_binds_is_named()
    {
        Assert.Contains("storage account", Saturation.Of(new StoreLoad(990, 1000, 99), [new ProcessLoad("us", 20)], 2));
        Assert.Contains(
            "processors", Saturation.Of(new StoreLoad(10, 1000, 1), [new ProcessLoad("us", 100), new ProcessLoad("eu", 95)], 2));
        Assert.Contains("neither", Saturation.Of(new StoreLoad(10, 1000, 1), [new ProcessLoad("us", 20)], 2));
        Assert.Contains("nothing", Saturation.Of(null, [new ProcessLoad("us", 20)], 2));
    }

    [Fact]
    public void A_run_passes_only_without_any_violation_or_error()
    {
        var run = SampleRun.Of(Variant.Sensible[0]);
        Assert.True(run.Passed);
        Assert.False((run with { Errors = 1 }).Passed);
        Assert.False((run with { LostOrders = 1 }).Passed);
        Assert.False((run with { OversoldItems = 1 }).Passed);
        Assert.False((run with { DuplicateOrders = 1 }).Passed);
        Assert.True((run with { Interrupted = 1 }).Passed);
    }

    [Fact]
    public void A_result_file_that_cannot_be_written_is_named()
    {
        var file = Path.GetTempFileName();
        try
        {
            var error = Assert.Throws<UsageException>(() => ResultFile.Save(Path.Combine(file, "below.json"), "{}"));
            Assert.Contains("below.json", error.Message);
        }
        finally
        {
            File.Delete(file);
        }
    }
}
