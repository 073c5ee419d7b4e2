using System.Globalization;
using Spectre.Console;

namespace TpcwMini.Report;

/// <summary>The tables at the end, on the terminal.</summary>
internal static class ResultTable
{
    public static void Write(IAnsiConsole console, RunResult run)
    {
        var table = new Table().Border(TableBorder.Rounded).Title($"[bold]{Markup.Escape(run.Variant.ToString())}[/]");
        table.AddColumn("step");
        foreach (var column in (string[])["steps", "p50 ms", "p95 ms", "p99 ms"])
        {
            table.AddColumn(new TableColumn(column).RightAligned());
        }

        foreach (var (step, latency) in run.LatencyMs)
        {
            table.AddRow(
                step, Text($"{latency.Count:#,0}"), Text($"{latency.P50:0.0}"), Text($"{latency.P95:0.0}"), Text($"{latency.P99:0.0}"));
        }

        console.Write(table);
        var inTime = Text($"{run.StepsInTime:#,0} of {run.StepsCompleted:#,0} steps within 1.5 s");
        var busy = run.Cpu.Where(load => load.CpuPercent > 0);
        Line(console, "throughput", Text($"{run.StepsPerSecond:#,0} steps/s in time ({inTime})"));
        Line(console, "bound by", run.Saturated);
        Line(console, "processors", string.Join(", ", busy.Select(load => Text($"{load.Process} {load.CpuPercent:0} %"))));
        Line(console, "calls", Text($"{run.Errors:#,0} failed, {run.Interruptions}"));
        Line(console, "orders", run.Orders);
        if (CallOutcomes.Of(run) is { } outcomes)
        {
            Write(console, outcomes);
        }

        foreach (var trouble in run.Violations.Concat(run.ErrorSamples))
        {
            console.MarkupLine($"  [red]{Markup.Escape(trouble)}[/]");
        }

        console.MarkupLine(run.Passed ? "[green]passed[/]" : "[red]FAILED[/]");
    }

    private static void Write(IAnsiConsole console, CallOutcomes outcomes)
    {
        console.WriteLine();
        console.WriteLine(outcomes.Legend);
        foreach (var line in outcomes.Picture())
        {
            console.WriteLine($"  {line}");
        }

        foreach (var region in outcomes.Regions)
        {
            Line(console, region.Name, string.Join(", ", outcomes.Parts.Zip(region.Percent, (part, share) =>
                share is { } known ? Text($"{known:0.0} % in time {part}") : $"no call ended {part}")));
        }

        console.WriteLine();
    }

    public static void Write(IAnsiConsole console, IReadOnlyList<RunResult> matrix)
    {
        var table = new Table().Border(TableBorder.Rounded).Title("[bold]Every variant at its own peak[/]");
        table.AddColumn("variant");
        string[] figures =
            ["robots", "steps/s in time", "over basic", "mixed over lin", "paper (Fig. 11)", "paper over basic", "account", "checks"];
        foreach (var column in figures)
        {
            table.AddColumn(new TableColumn(column).RightAligned());
        }

        foreach (var (row, run) in MatrixRow.Of(matrix).Zip(matrix))
        {
            table.AddRow(
                row.Name,
                Text($"{run.Robots:#,0}"),
                Text($"{row.StepsPerSecond:#,0}"),
                Optional(row.RatioToBasic, "x"),
                row.MixedGainPercent is { } gain ? Text($"{gain:+0;-0} %") : "",
                row.PaperRemark,
                Optional(row.PaperRatioToBasic, "x"),
                run.StorageAccount is { } account ? Text($"{account.UtilisationPercent:0} %") : "",
                run.Passed ? "[green]passed[/]" : "[red]FAILED[/]");
        }

        console.Write(table);
        foreach (var run in matrix)
        {
            Line(console, run.Variant.ToString(), "bound by " + run.Saturated);
            foreach (var trouble in run.Violations.Concat(run.ErrorSamples))
            {
                console.MarkupLine($"  [red]{Markup.Escape(trouble)}[/]");
            }
        }

        console.WriteLine(
            "The paper ran on many machines in two regions: compare ratios, not absolute figures. Its text gives numbers for three bars.");
    }

    private static void Line(IAnsiConsole console, string name, string value) =>
        console.MarkupLine($"[grey]{Markup.Escape(name),-12}[/] {Markup.Escape(value)}");

    private static string Optional(double? value, string unit) => value is { } number ? Text($"{number:0.0}{unit}") : "";

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
