using TpcwMini.Options;

namespace TpcwMini.Report;

/// <summary>One line of the table beside the paper's Figure 11.</summary>
/// <param name="Name">The variant.</param>
/// <param name="StepsPerSecond">Steps in time a second, measured here.</param>
/// <param name="RatioToBasic">Over basic persistent single, measured in the same matrix; null without it.</param>
/// <param name="MixedGainPercent">For a mixed variant: how much more than its lin sibling.</param>
/// <param name="PaperStepsPerSecond">The paper's figure, the middle of its range; null where it gives none.</param>
/// <param name="PaperRatioToBasic">The paper's figure over its own basic one.</param>
/// <param name="PaperRemark">What the paper's text says.</param>
internal sealed record MatrixRow(
    string Name,
    double StepsPerSecond,
    double? RatioToBasic,
    double? MixedGainPercent,
    double? PaperStepsPerSecond,
    double? PaperRatioToBasic,
    string PaperRemark)
{
    public static IReadOnlyList<MatrixRow> Of(IReadOnlyList<RunResult> runs)
    {
        var paperBasic = PaperFigures.StepsPerSecond(Variant.Sensible[0])!.Value.From;
        return [.. runs.Select(Row)];

        MatrixRow Row(RunResult run)
        {
            var variant = run.Variant;
            var basic = runs.FirstOrDefault(other =>
                other.StoreOps == run.StoreOps
                && other.Variant is { Api: ItemApi.Basic, State: ItemDurability.Persistent })?.StepsPerSecond;
            var paper = PaperFigures.StepsPerSecond(variant) is { } figure ? (figure.From + figure.To) / 2 : (double?)null;
            var lin = variant.Reads == ReadPolicy.Mixed
                ? runs.FirstOrDefault(other =>
                    other.StoreOps == run.StoreOps && other.Variant == variant with { Reads = ReadPolicy.Lin })?.StepsPerSecond
                : null;
            return new MatrixRow(
                run.StorageAccount is not null && run.StoreOps >= RunOptions.NoCap ? $"{variant}, no cap" : variant.ToString(),
                run.StepsPerSecond,
                Ratio(run.StepsPerSecond, basic),
                Ratio(run.StepsPerSecond, lin) is { } gain ? Math.Round((gain - 1) * 100, 1) : null,
                paper,
                Ratio(paper, paperBasic),
                PaperFigures.Remark(variant));
        }
    }

    private static double? Ratio(double? figure, double? of) => figure is { } a && of is > 0 ? Math.Round(a / of.Value, 2) : null;
}
