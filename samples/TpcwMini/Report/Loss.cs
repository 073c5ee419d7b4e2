using System.Globalization;
using System.Text;
using TpcwMini.Options;

namespace TpcwMini.Report;

/// <summary>What the loss of a region, which was asked for, did to the calls of each region.</summary>
/// <param name="Plan">What was killed, and when it came back.</param>
/// <param name="Regions">Each region with the share of its calls that were in time, by part of the run.</param>
internal sealed record Loss(KillPlan Plan, IReadOnlyList<Loss.Region> Regions)
{
    private const string Levels = "▁▂▃▄▅▆▇█";

    /// <summary>The parts of the run, in order; the last is there when the region came back.</summary>
    public IReadOnlyList<string> Parts { get; } = Plan.Back is null
        ? [$"before {Plan.Cluster} is killed", "after"]
        : [$"before {Plan.Cluster} is killed", $"without {Plan.Cluster}", $"after {Plan.Cluster} is started again"];

    /// <summary>Null where no whole region was killed.</summary>
    public static Loss? Of(RunResult run)
    {
        if (run.Kill is not { } kill || KillPlan.Parse(kill) is not { Silo: null } plan)
        {
            return null;
        }

        var from = new[] { 0, run.Warmup + (int)plan.Second, run.Warmup + (int)(plan.Back ?? 0), run.Warmup + run.Seconds };
        int[] borders = plan.Back is null ? [from[0], from[1], from[3]] : from;
        return new(plan, [.. run.StepsInTimePerSecond.Select(region =>
        {
            var calls = run.CallsPerSecond.GetValueOrDefault(region.Key, region.Value);
            var measured = calls.Zip(region.Value, (all, inTime) => all == 0 ? (double?)null : (double)inTime / all).Skip(run.Warmup);
            var parts = borders.Zip(borders.Skip(1), (first, end) => Share(region.Value, calls, first, end));
            return new Region(region.Key, [.. parts], [.. measured]);
        })]);
    }

    /// <summary>A line for each region, a column a second of the measured time, and a line that says when what happened.</summary>
    public IEnumerable<string> Picture()
    {
        var width = Regions.Max(region => region.Name.Length);
        foreach (var region in Regions)
        {
            var line = new StringBuilder(region.Name.PadRight(width + 2));
            foreach (var share in region.Seconds)
            {
                line.Append(share is { } known ? Levels[(int)Math.Round(known * (Levels.Length - 1))] : '·');
            }

            yield return line.ToString();
        }

        var back = Plan.Back is { } second ? Text($", started again at {second} s") : "";
        yield return new string(' ', width + 2 + (int)Plan.Second) + Text($"^ {Plan.Cluster} killed at {Plan.Second} s{back}");
    }

    private static double? Share(IReadOnlyList<long> inTime, IReadOnlyList<long> calls, int from, int end)
    {
        var all = calls.Take(end).Skip(from).Sum();
        return all == 0 ? null : 100.0 * inTime.Take(end).Skip(from).Sum() / all;
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    /// <param name="Name">The region.</param>
    /// <param name="Percent">Calls in time, in percent of all that ended, for each part; null where there was none.</param>
    /// <param name="Seconds">The share in time of each measured second, 0 to 1; null where no call ended.</param>
    internal sealed record Region(string Name, IReadOnlyList<double?> Percent, IReadOnlyList<double?> Seconds);
}
