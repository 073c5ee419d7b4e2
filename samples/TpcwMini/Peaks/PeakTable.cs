using System.Globalization;
using System.Text;
using TpcwMini.Options;
using TpcwMini.Report;

namespace TpcwMini.Peaks;

/// <summary>The peaks of all rows as a Markdown table, to be pasted.</summary>
internal static class PeakTable
{
    public static string Markdown(IReadOnlyList<IReadOnlyList<PeakLevel>> rows)
    {
        var text = new StringBuilder();
        text.Append("| variant | account | robots | steps/s in time: middle (least to most) | over basic | orders/s |"
            + " steps/s by kind | paper | bound by |\n|---|---|---|---|---|---|---|---|---|\n");
        var peaks = rows.Select(PeakSearch.Best).ToList();
        foreach (var (row, levels, peak) in MatrixRow.Of([.. peaks.Select(p => p.Middle)]).Zip(rows, peaks))
        {
            var run = peak.Middle;
            var many = PeakSearch.Falls(levels) ? "" : " or more";
            text.Append(Text($"| {run.Variant} | {AccountOf(run)} | {peak.Robots:#,0}{many} "))
                .Append(Text($"| {peak.StepsPerSecond:#,0} ({peak.Least:#,0} to {peak.Most:#,0}; {peak.Runs.Count} runs) "))
                .Append(Text($"| {(row.RatioToBasic is { } ratio ? Text($"{ratio:0.0}x") : "")} "))
                .Append(Text($"| {(double)run.WorkflowsCompleted / run.Seconds:#,0} "))
                .Append(Text($"| {string.Join(", ", run.LatencyMs.Select(step => RateOf(step.Key, step.Value, run)))} "))
                .Append(Text($"| {row.PaperRemark} | {Saturation.AtPeak(run, PeakSearch.Falls(levels), Environment.ProcessorCount)} |\n"));
        }

        return text.ToString();
    }

    private static string RateOf(string step, StepLatency latency, RunResult run) =>
        Text($"{step} {(double)latency.Count / run.Seconds:#,0}");

    private static string AccountOf(RunResult run) =>
        run.StorageAccount is null ? "none" : run.StoreOps >= RunOptions.NoCap ? "latency only" : Text($"{run.StoreOps:#,0} operations/s");

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
