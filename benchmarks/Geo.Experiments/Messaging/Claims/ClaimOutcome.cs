using System.Globalization;
using Geo.Experiments.Networks;

namespace Geo.Experiments.Messaging.Claims;

/// <summary>What was measured of a claim.</summary>
/// <param name="Claim">The claim.</param>
/// <param name="Ratios">The ratio of every repeat in which all it takes was measured.</param>
/// <param name="Runs">The runs that the ratios are made of.</param>
internal sealed record ClaimOutcome(Claim Claim, IReadOnlyList<double> Ratios, IReadOnlyList<RunRecord> Runs)
{
    private const int RepeatsAsked = 5;
    private const double WarmUpAsked = 4;
    private const int OperationsAsked = 20;
    private const int PingsAsked = 200;

    public Spread Spread { get; } = Spread.Of(Ratios);

    /// <summary>True when the median of the ratios keeps to the limit.</summary>
    public bool IsMet => Ratios.Count > 0 && Claim.Limit.IsMetBy(Spread.Median);

    /// <summary>The fewest operations that one of the figures rests on.</summary>
    public long FewestOperations => Runs.Count == 0 ? 0 : Runs.Min(run => run.Operations);

    /// <summary>Why the figure does not count as shown, whatever it is; empty when it does.</summary>
    public IReadOnlyList<string> Shortcomings => [.. Checks.Where(check => check.IsShort).Select(check => check.What)];

    private (bool IsShort, string What)[] Checks =>
    [
        (Ratios.Count < RepeatsAsked, string.Create(CultureInfo.InvariantCulture, $"{Ratios.Count} of {RepeatsAsked} repeats")),
        (Runs.Any(run => run.WarmUpSeconds < WarmUpAsked), string.Create(CultureInfo.InvariantCulture, $"warm-up under {WarmUpAsked} s")),
        (FewestOperations < Asked, string.Create(CultureInfo.InvariantCulture, $"under {Asked} operations")),
        (Runs.Any(run => run.Network == NetworkKind.DelayLines), "delay lines"),
    ];

    private int Asked => Claim.Cell.Workload == Workload.HeadOfLine ? PingsAsked : OperationsAsked;

    /// <summary>The verdict.</summary>
    public override string ToString() => (Ratios.Count, IsMet, Shortcomings.Count) switch
    {
        (0, _, _) => "not measured",
        (_, true, 0) => "met",
        (_, false, 0) => "not met",
        (_, var isMet, _) => $"{(isMet ? "within" : "outside")}, not shown: {string.Join(", ", Shortcomings)}",
    };
}
