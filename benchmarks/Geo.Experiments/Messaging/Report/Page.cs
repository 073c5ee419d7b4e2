using System.Globalization;
using Geo.Experiments.Messaging.Claims;

namespace Geo.Experiments.Messaging.Report;

/// <summary>Raw data as the tables of a page: what was promised, what was carried, and head of line.</summary>
internal static class Page
{
    /// <summary>The tables of some files. Where several hold a cell, the last of them counts for it, whole.</summary>
    /// <param name="files">The files, oldest first.</param>
    public static string Of(IReadOnlyList<RawFile> files)
    {
        // A ratio is made of runs that took turns, which those of two files did not.
        var runs = files.SelectMany(file => file.Runs.Select(run => run.Cell).Distinct(), (file, cell) => (file, cell))
            .GroupBy(pair => pair.cell)
            .SelectMany(pairs => pairs.Last().file.Runs.Where(run => run.Cell == pairs.Key))
            .ToArray();
        var lanes = files.Select(file => file.Header.Lanes).Distinct().ToArray();
        if (lanes.Length != 1)
        {
            throw new GeoConfigurationException(
                $"The files were made with different --lanes: {string.Join(", ", lanes)}. Make a table of each.");
        }

        var used = files.Where(file => file.Runs.Any(run => runs.Contains(run)));
        string[] parts =
        [
            .. used.Select(
                file => $"`{file.Name}`: {ReportHeader.Of(file.Header, file.Runs.Select(run => run.Network).Distinct().Order())}\n"),
            ClaimsTable(MustShow.Claims(lanes[0]), runs),
            CarriedTable([.. runs.Where(run => run.Cell.Workload != Workload.HeadOfLine)]),
            HeadOfLineTable([.. runs.Where(run => run.Cell.Workload == Workload.HeadOfLine)]),
        ];
        return string.Join("\n", parts.Where(part => part.Length > 0));
    }

    /// <summary>The promises of whose cells anything was run.</summary>
    private static string ClaimsTable(IEnumerable<Claim> claims, RunRecord[] runs)
    {
        ClaimOutcome[] outcomes = [.. claims.Where(claim => runs.Any(run => run.Cell == claim.Cell)).Select(claim => claim.Judge(runs))];
        return outcomes.Length == 0 ? "" : MarkdownTable.Of(
            ["cell", "claim", "limit", "median", "lowest to highest", "repeats", "fewest operations", "verdict"],
            3,
            outcomes.Select(outcome => (string[])
            [
                $"`{outcome.Claim.Cell}`",
                outcome.Claim.Text,
                outcome.Claim.Limit.ToString(),
                outcome.Ratios.Count == 0 ? "" : Exact(outcome.Spread.Median),
                outcome.Ratios.Count == 0 ? "" : $"{Exact(outcome.Spread.Least)} to {Exact(outcome.Spread.Most)}",
                outcome.Ratios.Count.ToString(CultureInfo.InvariantCulture),
                outcome.FewestOperations.ToString("#,0", CultureInfo.InvariantCulture),
                outcome.ToString(),
            ]));
    }

    /// <summary>Operations a second, a cell a line and a variant a column.</summary>
    private static string CarriedTable(RunRecord[] runs)
    {
        string[] variants = [.. runs.Select(run => run.Variant.Name).Distinct()];
        return runs.Length == 0 ? "" : MarkdownTable.Of(
            ["operations/s", .. variants],
            1,
            runs.GroupBy(run => run.Cell).Select(cell => (string[])
            [
                $"`{cell.Key}`",
                .. variants.Select(variant => cell.Where(run => run.Variant.Name == variant).ToArray() is { Length: > 0 } own
                    ? Figure.Spread(Spread.Of(own.Select(run => run.OpsPerSecond)))
                    : ""),
            ]));
    }

    private static string HeadOfLineTable(RunRecord[] runs) => runs.Length == 0 ? "" : MarkdownTable.Of(
        ["variant", .. HeadOfLine.Columns],
        1,
        runs.GroupBy(run => run.Variant.Name).Select(variant => (string[])[variant.Key, .. HeadOfLine.Row([.. variant])]));

    // A digit more than the limits have, so that what is just not met does not look as if it were.
    private static string Exact(double ratio) => ratio.ToString("0.000", CultureInfo.InvariantCulture);
}
