using Geo.Experiments.Messaging.Claims;
using Spectre.Console;

namespace Geo.Experiments.Messaging.Report;

/// <summary>
/// A cell's figures, a variant a line: the median of the repeats with their spread, and its ratio to the variants it is measured by.
/// </summary>
internal static class CellTable
{
    private const double Megabyte = 1e6;
    private const int FewOperations = 20;

    public static Table Of(Cell cell, IReadOnlyList<RunRecord> runs)
    {
        Variant[] variants = [.. runs.Select(run => run.Variant).Distinct()];
        Variant[] references = variants.Any(variant => variant.Stack == Stack.Plain)
            ? [.. variants.Where(variant => variant.Stack == Stack.Plain)]
            : variants[..1];
        var isHeadOfLine = cell.Workload == Workload.HeadOfLine;
        var table = new Table().Title(Markup.Escape(cell.ToString())).Border(TableBorder.Markdown)
            .AddColumn(new TableColumn("variant").NoWrap());
        IReadOnlyList<string> columns = isHeadOfLine
            ? HeadOfLine.Columns
            : ["ops/s", "MB/s each way", "p50 ms", "p99 ms", "max ms", "CPU us/op", "bytes allocated/op", "background ops/s",
                "fewest operations",
                .. references.Select(reference => $"of '{reference.Name}'")];
        table.AddColumns([.. columns.Select(column => new TableColumn(Markup.Escape(column)).RightAligned().NoWrap())]);
        foreach (var variant in variants)
        {
            var own = RunsOf(variant);
            string[] cells = isHeadOfLine
                ? [.. HeadOfLine.Row(own)]
                : [.. Load(cell, own), .. references.Select(reference => Figure.Ratio(Ops(own), Ops(RunsOf(reference))))];
            table.AddRow([Markup.Escape(variant.Name), .. cells]);
        }

        return runs.Any(run => run.Operations < FewOperations)
            ? table.Caption($"Where there are fewer than {FewOperations} operations a run was too short for a figure: take more --seconds.")
            : table;

        RunRecord[] RunsOf(Variant variant) => [.. runs.Where(run => run.Variant == variant)];
    }

    private static string[] Load(Cell cell, RunRecord[] runs)
    {
        var background = Middle(runs, peer => peer.BackgroundOpsPerSecond ?? 0);
        return
        [
            Figure.Spread(Spread.Of(runs.Select(run => run.OpsPerSecond))),
            Figure.Number(Ops(runs) * cell.PayloadBytes / Megabyte),
            Figure.Number(Middle(runs, peer => peer.Median)),
            Figure.Number(Middle(runs, peer => peer.Percentile99)),
            Figure.Number(runs.Max(run => run.Peers.Max(peer => peer.Maximum))),
            Figure.Number(Middle(runs, peer => peer.ProcessorMicrosecondsPerOp)),
            Figure.Number(Middle(runs, peer => peer.AllocatedBytesPerOp)),
            background > 0 ? Figure.Number(background) : "",
            Figure.Number(runs.Min(run => run.Operations)),
        ];
    }

    private static double Ops(RunRecord[] runs) => Spread.Of(runs.Select(run => run.OpsPerSecond)).Median;

    private static double Middle(RunRecord[] runs, Func<PeerFigures, double> figure) =>
        Spread.Of(runs.Select(run => Spread.Of(run.Peers.Select(figure)).Median)).Median;
}
