using System.Globalization;
using Spectre.Console;

namespace Geo.Experiments.Messaging.Report;

/// <summary>A cell's figures, a variant a line: the median of the repeats with their spread, and its ratio to the variants it is measured by.</summary>
internal static class CellTable
{
    private const double Megabyte = 1e6;
    private const int FewOperations = 20;

    public static Table Of(Cell cell, RunPlan plan, IReadOnlyList<RunRecord> runs)
    {
        var variants = plan.VariantsOf(cell);
        var references = variants.Where((variant, place) => variant.IsPlain || place == variants.Count(other => other.IsPlain)).ToArray();
        var isHeadOfLine = cell.Workload == Workload.HeadOfLine;
        var table = new Table().Title(Markup.Escape(cell.ToString())).Border(TableBorder.Markdown).AddColumn("variant");
        string[] columns = isHeadOfLine
            ? ["bulk MB/s", "idle p50 ms", "p50 ms", "of idle", "max ms", "of idle max"]
            : ["ops/s", "spread", "MB/s each way", "p50 ms", "p99 ms", "max ms", "CPU us/op", "bytes allocated/op", "background ops/s",
                .. references.Select(reference => $"of '{reference.Name}'")];
        table.AddColumns([.. columns.Select(column => new TableColumn(Markup.Escape(column)).RightAligned())]);
        foreach (var variant in variants)
        {
            var own = RunsOf(variant);
            string[] cells = isHeadOfLine
                ? HeadOfLine(cell, own)
                : [.. Load(cell, own), .. references.Select(reference => Ratio(Ops(own), Ops(RunsOf(reference))))];
            table.AddRow([Markup.Escape(variant.Name), .. cells]);
        }

        return runs.Any(IsShort) && !isHeadOfLine
            ? table.Caption($"* fewer than {FewOperations} operations in a run: too short for a figure, take more --seconds.")
            : table;

        RunRecord[] RunsOf(Variant variant) => [.. runs.Where(run => run.Variant == variant.Name)];
    }

    private static string[] Load(Cell cell, RunRecord[] runs)
    {
        var ops = Ops(runs);
        var background = Middle(runs, peer => peer.BackgroundOpsPerSecond ?? 0);
        return
        [
            Number(ops) + (runs.Any(IsShort) ? " *" : ""),
            $"{Number(runs.Min(run => run.OpsPerSecond))} to {Number(runs.Max(run => run.OpsPerSecond))}",
            Number(ops * cell.PayloadBytes / Megabyte),
            Number(Middle(runs, peer => peer.Median)),
            Number(Middle(runs, peer => peer.Percentile99)),
            Number(runs.Max(run => run.Peers.Max(peer => peer.Maximum))),
            Number(Middle(runs, peer => peer.ProcessorMicrosecondsPerOp)),
            Number(Middle(runs, peer => peer.AllocatedBytesPerOp)),
            background > 0 ? Number(background) : "",
        ];
    }

    private static string[] HeadOfLine(Cell cell, RunRecord[] runs)
    {
        var (idle, beside) = (Middle(runs, peer => peer.IdleMedian ?? 0), Middle(runs, peer => peer.Median));
        var (idleMost, besideMost) = (Middle(runs, peer => peer.IdleMaximum ?? 0), Middle(runs, peer => peer.Maximum));
        return
        [
            Number(Middle(runs, peer => peer.BackgroundOpsPerSecond ?? 0) * cell.PayloadBytes / Megabyte),
            Number(idle), Number(beside), Ratio(beside, idle), Number(besideMost), Ratio(besideMost, idleMost),
        ];
    }

    private static bool IsShort(RunRecord run) => run.Peers.Any(peer => peer.Operations < FewOperations);

    private static double Ops(RunRecord[] runs) => Median(runs.Select(run => run.OpsPerSecond));

    private static double Middle(RunRecord[] runs, Func<PeerFigures, double> figure) =>
        Median(runs.Select(run => Median(run.Peers.Select(figure))));

    private static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return sorted.Length == 0 ? 0 : sorted[sorted.Length / 2];
    }

    private static string Ratio(double value, double reference) =>
        reference > 0 ? (value / reference).ToString("0.00", CultureInfo.InvariantCulture) : "";

    private static string Number(double value) =>
        value.ToString(value >= 100 ? "#,0" : value >= 10 ? "0.0" : "0.00", CultureInfo.InvariantCulture);
}
