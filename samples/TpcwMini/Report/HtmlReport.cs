using System.Text;
using static TpcwMini.Report.Svg;

namespace TpcwMini.Report;

/// <summary>Writes a run, or a matrix of runs, as one self-contained page: no script, no picture, nothing fetched.</summary>
internal static class HtmlReport
{
    private const string Style = """
        :root { color-scheme: light dark; --ink: #1c2330; --soft: #5b6675; --paper: #ffffff; --card: #f5f7fa; --rule: #d9dfe7;
          --c0: #0b6bcb; --c1: #d1570a; --c2: #13795b; --c3: #8a3fc4; --c4: #b3261e; --c5: #75700a; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #9aa6b5; --paper: #12161c; --card: #1b212a; --rule: #313a46;
          --c0: #63aefc; --c1: #ff9d57; --c2: #4ccf9f; --c3: #c79bf2; --c4: #ff8a80; --c5: #d8d05c; } }
        body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
          max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
        h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; padding: .3rem .7rem; border-bottom: 1px solid var(--rule); }
        td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } .soft { color: var(--soft); }
        .verdict { padding: .6rem 1rem; border-radius: .4rem; background: var(--card); border-left: 4px solid var(--c2); }
        .verdict.bad { border-color: var(--c4); }
        svg { width: 100%; height: auto; background: var(--card); border-radius: .4rem; }
        svg text { fill: var(--soft); font: 12px system-ui, sans-serif; } .end { text-anchor: end; } .middle { text-anchor: middle; }
        .grid { stroke: var(--rule); } .mark { stroke: var(--c4); stroke-dasharray: 4 3; } .warmup { fill: var(--rule); opacity: .45; }
        .line { fill: none; stroke-width: 2; }
        .line.c0 { stroke: var(--c0); } .line.c1 { stroke: var(--c1); } .line.c2 { stroke: var(--c2); }
        .line.c3 { stroke: var(--c3); } .line.c4 { stroke: var(--c4); } .line.c5 { stroke: var(--c5); }
        .bar.c0 { fill: var(--c0); } .bar.c1 { fill: var(--c1); } .bar.c2 { fill: var(--c2); }
        .legend span { margin-right: 1.2rem; }
        .legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin-right: .4rem; }
        i.c0 { background: var(--c0); } i.c1 { background: var(--c1); } i.c2 { background: var(--c2); } i.c3 { background: var(--c3); }
        i.c4 { background: var(--c4); } i.c5 { background: var(--c5); }
        """;

    // Of the colours above: green, orange and red.
    private static readonly int[] InTimeLateFailed = [2, 1, 4];

    public static string Of(RunResult run)
    {
        var body = new StringBuilder();
        body.Append(Text($"<h1>TPC-W-mini: {Escape(run.Variant.ToString())}</h1>"));
        body.Append(Verdict([run]));
        body.Append(Text($"<p><strong>{Number(run.StepsPerSecond)} steps/s</strong> in time (below 1.5 s): {run.StepsInTime:#,0} of the "));
        body.Append(Text($"{run.StepsCompleted:#,0} steps that ended in the measured time. Orders: {Escape(run.Orders)}. "));
        body.Append(Text($"{run.Errors:#,0} calls failed, {Escape(run.Interruptions)}. "));
        body.Append(Text($"Bound by: {Escape(run.Saturated)}.</p>"));
        body.Append("<h2>Throughput: steps in time a second, per region</h2>").Append(Throughput(run));
        if (CallOutcomes.Of(run) is { } outcomes)
        {
            foreach (var region in outcomes.Regions)
            {
                body.Append(Text($"<h2>Calls a second by customers of {Escape(region.Name)}, as they ended</h2>"));
                body.Append(Outcomes(run, region));
            }

            body.Append("<h2>Calls in time, of all that ended</h2>").Append(Shares(outcomes));
        }

        body.Append("<h2>Latency of each step</h2>").Append(Latency(run));
        body.Append("<h2>Processes</h2>").Append(Loads(run));
        body.Append("<h2>Configuration</h2>").Append(Configuration(run));
        body.Append("<h2>Words</h2>").Append(Words());
        body.Append(Text($"<p class=\"soft\">{Escape(run.Version)}, {run.Date:yyyy-MM-dd HH:mm:ss zzz}. "));
        body.Append(Text($"Again: <code>{Escape(run.Command)}</code></p>"));
        return Page("TPC-W-mini", body);
    }

    public static string Of(IReadOnlyList<RunResult> matrix)
    {
        var rows = MatrixRow.Of(matrix);
        var body = new StringBuilder("<h1>TPC-W-mini: every variant at its own peak, beside GEO's Figure 11</h1>");
        body.Append(Verdict(matrix));
        body.Append("<h2>Steps in time a second</h2>");
        body.Append(Bars(
            "Steps in time a second for each variant",
            [.. rows.Select(row => (row.Name, (IReadOnlyList<double?>)[row.StepsPerSecond]))],
            ["here"],
            "",
            250));
        body.Append("<h2>Ratio to basic persistent single</h2>");
        body.Append(Bars(
            "Ratio to basic persistent single, here and in the paper",
            [.. rows.Select(row => (row.Name, (IReadOnlyList<double?>)[row.RatioToBasic, row.PaperRatioToBasic]))],
            ["here", "paper"],
            "x",
            250));
        body.Append("<p class=\"soft\">The paper ran on many machines in two Azure regions: compare the ratios, not the absolute ");
        body.Append("figures. It gives numbers in its text for three of the bars; the others are left out here.</p>");
        body.Append("<h2>Table</h2><table><tr><th>variant</th><th class=\"n\">robots</th><th class=\"n\">steps/s</th>");
        body.Append("<th class=\"n\">ratio</th><th class=\"n\">mixed over lin</th><th class=\"n\">paper</th>");
        body.Append("<th class=\"n\">paper's ratio</th><th>bound by</th></tr>");
        foreach (var (row, run) in rows.Zip(matrix))
        {
            body.Append(Text($"<tr><td>{Escape(row.Name)}</td><td class=\"n\">{run.Robots:#,0}</td>"));
            body.Append(Text($"<td class=\"n\">{Number(row.StepsPerSecond)}</td><td class=\"n\">{Optional(row.RatioToBasic, "x")}</td>"));
            body.Append(Text($"<td class=\"n\">{Optional(row.MixedGainPercent, " %")}</td><td class=\"n\">{Escape(row.PaperRemark)}</td>"));
            body.Append(Text($"<td class=\"n\">{Optional(row.PaperRatioToBasic, "x")}</td><td>{Escape(run.Saturated)}</td></tr>"));
        }

        body.Append("</table><h2>Configuration, but for robots and account the same for every variant</h2>");
        body.Append(Configuration(matrix[0], variant: false));
        foreach (var run in matrix)
        {
            body.Append(Text($"<h2>{Escape(run.Variant.ToString())}</h2>")).Append(Throughput(run)).Append(Latency(run));
        }

        return Page("TPC-W-mini matrix", body);
    }

    private static string Verdict(IReadOnlyList<RunResult> runs)
    {
        var failed = runs.Where(run => !run.Passed).ToList();
        if (failed.Count == 0)
        {
            var orders = Text($"{runs.Sum(run => (long)run.ConfirmedOrders):#,0} confirmed orders");
            return "<p class=\"verdict\">Nothing oversold, no order lost, no order sold twice, no error: "
                + $"{orders} checked against the items.</p>";
        }

        var lines = failed.SelectMany(run => (IEnumerable<string>)
            [
                $"{run.Variant}: oversold items {run.OversoldItems}, lost orders {run.LostOrders}, "
                    + $"duplicate orders {run.DuplicateOrders}, errors {run.Errors}",
                .. run.Violations,
                .. run.ErrorSamples,
            ]);
        return "<p class=\"verdict bad\">" + string.Join("<br>", lines.Select(Escape)) + "</p>";
    }

    private static string Throughput(RunResult run) => Lines(
        "Steps in time for each second and cluster",
        [.. run.StepsInTimePerSecond.Select(series => (series.Key, series.Value))],
        run.Warmup,
        Marks(run));

    private static string Outcomes(RunResult run, CallOutcomes.Region region) => Lines(
        $"Calls for each second by customers of {region.Name}, in time, late and failed",
        [.. region.Outcomes.Select(outcome => (outcome.Name, outcome.PerSecond))],
        warmup: 0,
        Marks(run),
        InTimeLateFailed);

    private static List<(double Second, string Label)> Marks(RunResult run) =>
        [.. run.Moments.Select(moment => (moment.Second, moment.What))];

    private static string Shares(CallOutcomes outcomes)
    {
        var heads = string.Concat(outcomes.Parts.Select(part => $"<th class=\"n\">{Escape(part)}</th>"));
        var table = new StringBuilder($"<table><tr><th>region</th>{heads}</tr>");
        foreach (var region in outcomes.Regions)
        {
            var cells = region.Percent.Select(share => share is { } known ? Text($"{known:0.0} %") : "none ended")
                .Select(cell => $"<td class=\"n\">{cell}</td>");
            table.Append(Text($"<tr><td>{Escape(region.Name)}</td>{string.Concat(cells)}</tr>"));
        }

        return table.Append("</table>").ToString();
    }

    private static string Words() => "<table>"
        + string.Concat(Terms.All.Select(term => $"<tr><td>{Escape(term.Word)}</td><td>{Escape(term.Meaning)}</td></tr>")) + "</table>";

    private static string Latency(RunResult run) => Bars(
        "Latency percentiles for each step",
        [.. run.LatencyMs.Select(step => (step.Key, (IReadOnlyList<double?>)[step.Value.P50, step.Value.P95, step.Value.P99]))],
        ["p50", "p95", "p99"],
        "ms",
        80);

    private static string Loads(RunResult run)
    {
        var table = new StringBuilder("<table><tr><th>process</th><th class=\"n\">processor</th></tr>");
        foreach (var load in run.Cpu.Where(load => load.CpuPercent > 0))
        {
            table.Append(Text($"<tr><td>{Escape(load.Process)}</td><td class=\"n\">{load.CpuPercent:0} %</td></tr>"));
        }

        if (run.StorageAccount is { } account)
        {
            table.Append(Text($"<tr><td>storage account: {account.OperationsPerSecond:#,0} of {account.Limit:#,0} operations/s</td>"));
            table.Append(Text($"<td class=\"n\">{account.UtilisationPercent:0} % of its limit</td></tr>"));
        }

        return table.Append("</table>").ToString();
    }

    private static string Configuration(RunResult run, bool variant = true)
    {
        var table = new StringBuilder("<table>");
        foreach (var (name, value) in ConfigurationOf(run, variant))
        {
            table.Append(Text($"<tr><td>{Escape(name)}</td><td>{Escape(value)}</td></tr>"));
        }

        return table.Append("</table>").ToString();
    }

    private static IEnumerable<(string Name, string Value)> ConfigurationOf(RunResult run, bool variant)
    {
        yield return ("clusters", string.Join(", ", run.Clusters));
        if (variant)
        {
            yield return ("api, state, instancing, reads", $"{run.Api}, {run.State}, {run.Instancing}, {run.Reads}");
        }

        yield return ("robots", Text($"{run.Robots:#,0}, at most one workflow per 4 s each, 100 ms think time"));
        yield return ("time", Text($"{run.Seconds} s after {run.Warmup} s of warm-up"));
        yield return ("items", Text($"{run.Items:#,0} with {run.StockOfEachItem:#,0} in stock each"));
        yield return ("round trip between clusters", Text($"{run.RttMs} ms"));
        var distances = Text($"{run.StoreNearMs} ms from {run.Clusters[0]}, {run.StoreFarMs} ms from the others");
        yield return ("storage account", Text($"{run.Store}, at most {run.StoreOps:#,0} operations/s; {distances}"));
        yield return ("single instances", run.Mode);
        foreach (var (name, value) in ((string, string?)[])[("kill", run.Kill), ("cut", run.Cut), ("add", run.Add), ("drain", run.Drain)])
        {
            if (value is not null)
            {
                yield return (name, value);
            }
        }
    }

    private static string Optional(double? value, string unit) => value is { } number ? Number(number) + unit : "";

    private static string Page(string title, StringBuilder body) =>
        $"""
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{Escape(title)}</title>
        <style>
        {Style}
        </style>
        </head>
        <body>
        {body}
        </body>
        </html>

        """;
}
