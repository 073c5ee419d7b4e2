namespace Geo.Experiments.Messaging;

/// <summary>What is to be run and how.</summary>
/// <param name="Cells">The cells, in order.</param>
/// <param name="Lanes">What N is in "N lanes" and "N connections".</param>
/// <param name="Repeats">How often each variant runs; the variants of a cell take turns.</param>
/// <param name="ReferenceRepeats">How often what stands beside runs.</param>
/// <param name="WarmUpSeconds">The time before each run is measured.</param>
/// <param name="MeasureSeconds">The time that each run is measured, where its cell does not need more.</param>
/// <param name="UseDelayLines">True to do without network namespaces.</param>
/// <param name="OutputFolder">Where the raw data go.</param>
/// <param name="Resume">Raw data of an earlier run that is to be completed; null to begin anew.</param>
internal sealed record RunPlan(
    IReadOnlyList<PlannedCell> Cells,
    int Lanes,
    int Repeats,
    int ReferenceRepeats,
    double WarmUpSeconds,
    double MeasureSeconds,
    bool UseDelayLines,
    string OutputFolder,
    string? Resume = null)
{
    // Measured: two processes and their end; silos that have to find each other.
    private const double StartSeconds = 1;
    private const double SiloStartSeconds = 2;

    /// <summary>The runs at a cell in order: repeat after repeat, within each every variant.</summary>
    public IEnumerable<(int Repeat, Variant Variant)> RunsOf(PlannedCell cell) =>
        from repeat in Enumerable.Range(1, Repeats)
        from variant in repeat <= ReferenceRepeats ? [.. cell.Variants, .. cell.References] : cell.Variants
        select (repeat, variant);

    /// <summary>About how long some runs take.</summary>
    public TimeSpan Estimate(IEnumerable<(Cell Cell, Variant Variant)> runs) => TimeSpan.FromSeconds(runs.Sum(run =>
        (run.Variant.Stack == Stack.Orleans ? SiloStartSeconds : StartSeconds)
        + ((run.Cell.Workload == Workload.HeadOfLine ? 2 : 1) * (WarmUpSeconds + run.Cell.MeasureSeconds(MeasureSeconds)))));
}
