namespace Geo.Experiments.Messaging.Claims;

/// <summary>Something that is promised of a cell, as a ratio between what was measured within one repeat.</summary>
/// <param name="Text">What is promised.</param>
/// <param name="Cell">Where.</param>
/// <param name="Limit">What the ratio must keep to.</param>
/// <param name="Variants">The variants whose runs the ratio is made of.</param>
/// <param name="Ratio">The ratio, of one run of each of the variants, in their order.</param>
internal sealed record Claim(
    string Text, Cell Cell, Limit Limit, IReadOnlyList<Variant> Variants, Func<IReadOnlyList<RunRecord>, double> Ratio)
{
    /// <summary>What some runs say about it: a ratio for every repeat in which all of its variants ran.</summary>
    public ClaimOutcome Judge(IEnumerable<RunRecord> runs)
    {
        var pairs = new List<RunRecord[]>();
        foreach (var repeat in runs.Where(run => run.Cell == Cell).GroupBy(run => run.Repeat).OrderBy(repeat => repeat.Key))
        {
            RunRecord?[] pair = [.. Variants.Select(variant => repeat.FirstOrDefault(run => run.Variant == variant))];
            if (!pair.Contains(null))
            {
                pairs.Add(pair!);
            }
        }

        return new ClaimOutcome(this, [.. pairs.Select(Ratio)], [.. pairs.SelectMany(pair => pair)]);
    }
}
