using System.Globalization;
using Spectre.Console;
using TpcwMini.Robots;

namespace TpcwMini.Report;

/// <summary>
/// Shows a run while it goes on: a table that renews itself on a terminal, plain lines where the output is redirected.
/// </summary>
internal sealed class LiveProgress(IAnsiConsole console, RunClock clock, IReadOnlyList<RegionRecord> regions, RegionWatch watch)
{
    private static readonly TimeSpan OnTerminal = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan Redirected = TimeSpan.FromSeconds(2);
    private readonly Dictionary<string, Reading> _last = regions.ToDictionary(region => region.Cluster, Read);
    private TimeSpan _lastAt = clock.Now;

    /// <summary>Shows until the run's time is over, or at most one interval longer.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        if (console.Profile.Capabilities.Interactive && console.Profile.Out.IsTerminal)
        {
            await console.Live(Rows(Since())).AutoClear(true).StartAsync(async live =>
            {
                while (await WaitAsync(OnTerminal, cancellationToken))
                {
                    live.UpdateTarget(Rows(Since()));
                }
            });
            return;
        }

        while (await WaitAsync(Redirected, cancellationToken))
        {
            console.WriteLine(Line(Since()));
        }
    }

    /// <summary>Waits for the next look; false when the run is over, to which the last look does not add anything.</summary>
    private async Task<bool> WaitAsync(TimeSpan interval, CancellationToken cancellationToken)
    {
        await clock.UntilAsync(clock.Now + interval, cancellationToken);
        return clock.Now < clock.Whole;
    }

    private List<Interval> Since()
    {
        var now = clock.Now;
        var seconds = Math.Max(0.001, (now - _lastAt).TotalSeconds);
        var intervals = new List<Interval>();
        foreach (var region in regions)
        {
            var reading = Read(region);
            var last = _last[region.Cluster];
            var steps = reading.Steps - last.Steps;
            var inTime = reading.InTime - last.InTime;
            intervals.Add(new Interval(
                region.Cluster,
                inTime / seconds,
                steps == 0 ? 0 : 100.0 * inTime / steps,
                reading.Latencies.Since(last.Latencies).PercentileMs(50),
                region.Errors,
                region.Interrupted,
                watch.IsKilled(region.Cluster) ? "killed" : watch.IsCut(region.Cluster) ? "cut off" : null));
            _last[region.Cluster] = reading;
        }

        _lastAt = now;
        return intervals;
    }

    private Table Rows(List<Interval> intervals)
    {
        var table = new Table().Border(TableBorder.Rounded).Title(Markup.Escape(Phase()));
        table.AddColumn("cluster");
        foreach (var column in (string[])["steps/s", "in time", "p50 ms", "errors"])
        {
            table.AddColumn(new TableColumn(column).RightAligned());
        }

        foreach (var interval in intervals)
        {
            table.AddRow(
                interval.State is { } state ? $"[red]{Markup.Escape(interval.Cluster)} {state}[/]" : Markup.Escape(interval.Cluster),
                Text($"{interval.StepsPerSecond:#,0}"),
                Text($"{interval.InTimePercent:0} %"),
                Text($"{interval.P50Ms:0.0}"),
                Text($"{interval.Errors}"));
        }

        return table.AddRow(
            "all", Text($"{intervals.Sum(interval => interval.StepsPerSecond):#,0}"), "", "",
            Text($"{intervals.Sum(interval => interval.Errors)}"));
    }

    private string Line(List<Interval> intervals) =>
        $"{Phase()}: " + string.Join(" | ", intervals.Select(interval => interval.State is "killed"
            ? Text($"{interval.Cluster} killed")
            : Text($"{interval.Cluster}{(interval.State is { } state ? $" ({state})" : "")} {interval.StepsPerSecond:0} steps/s, ")
                + Text($"{interval.InTimePercent:0} % in time, ")
                + Text($"p50 {interval.P50Ms:0.0} ms, {interval.Errors} errors")));

    private string Phase()
    {
        var (now, measured) = (clock.Now, clock.Measured.TotalSeconds);
        return now < clock.Warmup
            ? Text($"warm-up {now.TotalSeconds:0} of {clock.Warmup.TotalSeconds:0} s")
            : Text($"second {Math.Min((now - clock.Warmup).TotalSeconds, measured):0} of {measured:0}");
    }

    private static Reading Read(RegionRecord region) => new(region.StepsEver, region.StepsEverInTime, region.LatenciesEver.Copy());

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private sealed record Reading(long Steps, long InTime, LatencyHistogram Latencies);

    private sealed record Interval(
        string Cluster, double StepsPerSecond, double InTimePercent, double P50Ms, long Errors, long Interrupted, string? State);
}
