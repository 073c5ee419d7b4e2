using System.Globalization;
using System.Text;

namespace TpcwMini.Report;

/// <summary>How the calls of each region ended through what happened to a region, which was asked for.</summary>
/// <param name="Moments">What happened, in order of time.</param>
/// <param name="Regions">The calls of each region's customers.</param>
internal sealed record CallOutcomes(IReadOnlyList<RunMoment> Moments, IReadOnlyList<CallOutcomes.Region> Regions)
{
    private const string Levels = "▁▂▃▄▅▆▇█";
    private const char None = '·';

    /// <summary>The parts of the run, in order.</summary>
    public IReadOnlyList<string> Parts { get; } = [$"before {Moments[0].What}", .. Moments.Select(moment => moment.Part)];

    /// <summary>What the marks of the picture mean.</summary>
    public string Legend => Text($"calls a second, a column each ({Levels[0]} some, {Levels[^1]} {Most:#,0}, {None} none)");

    private long Most => Regions.Max(region => region.Outcomes.Max(outcome => outcome.PerSecond.Append(1).Max()));

    /// <summary>Null where nothing happened to a region.</summary>
    public static CallOutcomes? Of(RunResult run) =>
        run.Moments.Count == 0 ? null : new(run.Moments, [.. run.StepsInTimePerSecond.Select(region => Of(run, region.Key, region.Value))]);

    /// <summary>
    /// For each region a line of the calls in time, and of those that were late and that failed where there are any, a column a second of
    /// the measured time; below them, when what happened.
    /// </summary>
    public IEnumerable<string> Picture()
    {
        var most = Most;
        var width = Regions.Max(region => region.Name.Length) + 2;
        var indent = width + Regions[0].Outcomes.Max(outcome => outcome.Name.Length) + 2;
        foreach (var region in Regions)
        {
            var name = region.Name;
            foreach (var (outcome, perSecond) in region.Outcomes.Where((one, index) => index == 0 || one.PerSecond.Any(calls => calls > 0)))
            {
                var line = new StringBuilder(name.PadRight(width) + outcome).Append(' ', indent - width - outcome.Length);
                foreach (var calls in perSecond)
                {
                    // Rounded up, so that a single call is seen.
                    line.Append(calls == 0 ? None : Levels[(int)(((calls * Levels.Length) + most - 1) / most) - 1]);
                }

                yield return line.ToString();
                name = "";
            }
        }

        foreach (var moment in Moments)
        {
            yield return new string(' ', indent + (int)moment.Second) + Text($"^ {moment.What} at {moment.Second} s");
        }
    }

    private static Region Of(RunResult run, string name, IReadOnlyList<long> inTime)
    {
        var calls = run.CallsPerSecond.GetValueOrDefault(name, inTime);
        var failed = run.FailedPerSecond.GetValueOrDefault(name, [.. calls.Select(_ => 0L)]);
        var late = calls.Select((all, second) => all - inTime[second] - failed[second]);
        int[] borders = [0, .. run.Moments.Select(moment => run.Warmup + (int)moment.Second), run.Warmup + run.Seconds];
        return new Region(
            name,
            [.. borders.Zip(borders.Skip(1), (first, end) => Share(inTime, calls, first, end))],
            [Measured("in time", inTime), Measured("late", late), Measured("failed", failed)]);

        Outcome Measured(string outcome, IEnumerable<long> perSecond) => new(outcome, [.. perSecond.Skip(run.Warmup)]);
    }

    private static double? Share(IReadOnlyList<long> inTime, IReadOnlyList<long> calls, int from, int end)
    {
        var all = calls.Take(end).Skip(from).Sum();
        return all == 0 ? null : 100.0 * inTime.Take(end).Skip(from).Sum() / all;
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    /// <param name="Name">The region.</param>
    /// <param name="Percent">Calls in time, in percent of all that ended, for each part; null where there was none.</param>
    /// <param name="Outcomes">In time, late and failed.</param>
    internal sealed record Region(string Name, IReadOnlyList<double?> Percent, IReadOnlyList<Outcome> Outcomes);

    /// <param name="Name">How calls ended.</param>
    /// <param name="PerSecond">How many, in each second of the measured time.</param>
    internal sealed record Outcome(string Name, IReadOnlyList<long> PerSecond);
}
