using TpcwMini.Report;

namespace TpcwMini.Peaks;

/// <summary>The runs of one row under one load.</summary>
/// <param name="Robots">The load.</param>
/// <param name="Runs">The runs, at least one.</param>
internal sealed record PeakLevel(int Robots, IReadOnlyList<RunResult> Runs)
{
    /// <summary>The run in the middle by steps in time; of two the lower.</summary>
    public RunResult Middle { get; } = Runs.OrderBy(run => run.StepsPerSecond).ElementAt((Runs.Count - 1) / 2);

    public double StepsPerSecond => Middle.StepsPerSecond;

    public double Least => Runs.Min(run => run.StepsPerSecond);

    public double Most => Runs.Max(run => run.StepsPerSecond);
}
