using TpcwMini.Options;
using TpcwMini.Report;

namespace TpcwMini.Peaks;

/// <summary>
/// Looks for the load at which a row has the most steps in time, as the paper does: the load rises until they fall. Pure: what to run next
/// follows from what was run.
/// </summary>
internal static class PeakSearch
{
    /// <summary>
    /// The first load of a row: two steps below the peak of the row before, which is near its own where both have the versioned API; the
    /// load of the options where that is more, and for the basic API. The search goes down from it as well as up.
    /// </summary>
    /// <param name="row">The row.</param>
    /// <param name="before">The loads of the row before it, whose peak is known; none where it has not been run.</param>
    public static int First(RunOptions row, IReadOnlyList<PeakLevel> before) => row.Variant.Api == ItemApi.Basic || before.Count == 0
        ? row.Robots
        : Math.Max(row.Robots, (int)(Best(before).Robots / (MatrixPlan.Step * MatrixPlan.Step)));

    /// <summary>With how many robots the row is to be run next; null when its peak is known, with its repeats.</summary>
    /// <param name="runs">The runs of the row so far.</param>
    /// <param name="first">The first load.</param>
    /// <param name="plan">When it ends.</param>
    public static int? Next(IReadOnlyList<RunResult> runs, int first, MatrixPlan plan)
    {
        if (runs.Count == 0)
        {
            return first;
        }

        var levels = Levels(runs);
        var (best, lowest, highest) = (Best(levels), levels[0], levels[^1]);
        if (highest.Robots > best.Robots && MayBeSlow(highest, best))
        {
            return highest.Robots;
        }

        if (lowest.Robots < Math.Min(first, best.Robots) && best.Robots == levels[1].Robots && MayBeSlow(lowest, best))
        {
            return lowest.Robots;
        }

        if (levels.Count < plan.Levels)
        {
            if (!HasFallen(highest, best) && Above(highest.Robots) is { } more)
            {
                return more;
            }

            if (best.Robots == lowest.Robots && Below(lowest.Robots) is { } less)
            {
                return less;
            }
        }

        return best.Runs.Count < plan.Repeats ? best.Robots : null;
    }

    /// <summary>The loads that were tried, least first.</summary>
    public static IReadOnlyList<PeakLevel> Levels(IReadOnlyList<RunResult> runs) =>
        [.. runs.GroupBy(run => run.Robots).OrderBy(level => level.Key).Select(level => new PeakLevel(level.Key, [.. level]))];

    /// <summary>The load with the most steps in time; of equal ones the least.</summary>
    public static PeakLevel Best(IReadOnlyList<PeakLevel> levels) => levels.MaxBy(level => level.StepsPerSecond)!;

    /// <summary>True where more load than at the peak was tried and brought less.</summary>
    public static bool Falls(IReadOnlyList<PeakLevel> levels) => HasFallen(levels[^1], Best(levels));

    /// <summary>
    /// True where a load brought less than the best one by one run only, or by one of two: it is run again, for a slow run must not end the
    /// search below the peak.
    /// </summary>
    private static bool MayBeSlow(PeakLevel level, PeakLevel best) => level.StepsPerSecond < MatrixPlan.Fallen * best.StepsPerSecond
        && (level.Runs.Count == 1 || (level.Runs.Count == 2 && level.Most >= MatrixPlan.Fallen * best.StepsPerSecond));

    private static bool HasFallen(PeakLevel level, PeakLevel best) =>
        level.Robots > best.Robots && level.StepsPerSecond < MatrixPlan.Fallen * best.StepsPerSecond;

    private static int? Above(int robots) => (int)(robots * MatrixPlan.Step) is var more && more <= RunOptions.MostRobots ? more : null;

    private static int? Below(int robots) => (int)(robots / MatrixPlan.Step) is var less && less >= MatrixPlan.LeastRobots ? less : null;
}
