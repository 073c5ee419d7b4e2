namespace Geo.Experiments.Messaging;

/// <summary>What is to be run and how.</summary>
/// <param name="Cells">The cells, in order.</param>
/// <param name="Lanes">What N is in "N lanes" and "N connections".</param>
/// <param name="Repeats">How often each variant runs; the variants of a cell take turns.</param>
/// <param name="WarmUpSeconds">The time before each run is measured.</param>
/// <param name="MeasureSeconds">The time that each run is measured.</param>
/// <param name="Variants">Only variants whose name contains one of these; all when empty.</param>
/// <param name="UseDelayLines">True to do without network namespaces.</param>
/// <param name="OutputFolder">Where the raw data go.</param>
internal sealed record RunPlan(
    IReadOnlyList<Cell> Cells,
    int Lanes,
    int Repeats,
    double WarmUpSeconds,
    double MeasureSeconds,
    IReadOnlyList<string> Variants,
    bool UseDelayLines,
    string OutputFolder)
{
    /// <summary>The variants that run at a cell.</summary>
    public IReadOnlyList<Variant> VariantsOf(Cell cell) =>
    [
        .. Variant.Of(cell.Workload, Lanes).DistinctBy(variant => variant.Name).Where(variant =>
            Variants.Count == 0 || Variants.Any(part => variant.Name.Contains(part, StringComparison.OrdinalIgnoreCase))),
    ];
}
