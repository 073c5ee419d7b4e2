using System.Globalization;
using Geo.Experiments.ByteArrays;

namespace Geo.Experiments.Losses;

/// <summary>
/// How long grains of a lost region are without an answer in the other one, by mode and event, with the settings as they are by default:
/// two regions as processes, both calling the grains of one all the time, and that one is lost.
/// </summary>
/// <param name="hosts">What runs the silos, one after the other.</param>
/// <param name="roundTrip">Between the regions.</param>
/// <param name="arrays">How many grains of each mode there are.</param>
/// <param name="runs">How often each event is measured, each time with processes of its own.</param>
/// <param name="output">Where the lines and the table go.</param>
internal sealed class LossExperiment(
    IReadOnlyList<ExperimentHost> hosts, TimeSpan roundTrip, int arrays, int runs, TextWriter output)
{
    /// <summary>What is promised to whoever calls an optimistic grain, and how soon a pessimistic one refuses at the latest.</summary>
    public static readonly TimeSpan Promised = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan Storage = TimeSpan.FromMilliseconds(1);

    private static readonly (LossEvent Event, string What)[] Events =
    [
        (LossEvent.Killed, "the process is killed"),
        (LossEvent.LinkBroken, "the link breaks"),
        (LossEvent.Frozen, "the process stands still"),
        (LossEvent.LinkSilent, "the link falls silent"),
    ];

    /// <summary>Measures, and prints a line a run and a table of the longest times.</summary>
    /// <returns>True when all are within <see cref="Promised"/>.</returns>
    public async Task<bool> RunAsync(CancellationToken cancellationToken)
    {
        var machine = $"{Environment.ProcessorCount} cores, .NET {Environment.Version}";
        var load = $"{arrays} grains of each mode, called all the time in both regions";
        Tell($"{load}, {roundTrip.TotalMilliseconds:0} ms apart; {machine}, {DateTime.UtcNow:u}");
        var longest = new Dictionary<(ExperimentHost Host, LossEvent Event), LossTimes>();
        foreach (var (loss, what) in Events)
        {
            // Host after host within an event, so that the machine is the same to both.
            for (var run = 0; run < runs; run++)
            {
                foreach (var host in hosts)
                {
                    var times = await MeasureAsync(host, loss, cancellationToken);
                    longest[(host, loss)] = longest.TryGetValue((host, loss), out var before) ? Longest(before, times) : times;
                    var (middle, last) = (Seconds(times.AnsweredMiddle), Seconds(times.AnsweredLast));
                    var answered = $"answer in the other region after {middle} (the middle one), {last} (the last)";
                    var refused = $"are refused after {Seconds(times.RefusedMiddle)}, {Seconds(times.RefusedLast)}";
                    Tell($"{host}, {what}: optimistic grains {answered}; pessimistic ones {refused}");
                }
            }
        }

        Tell($"");
        Tell($"| event | mode | {string.Join(" | ", hosts)} |");
        Tell($"|---|---|{string.Concat(hosts.Select(_ => "---|"))}");
        foreach (var (loss, what) in Events)
        {
            Tell($"| {what} | optimistic: answers elsewhere after | {Row(loss, times => times.AnsweredLast)} |");
            Tell($"| | pessimistic: refused after | {Row(loss, times => times.RefusedLast)} |");
        }

        var isKept = longest.Values.All(times => times.AnsweredLast < Promised && times.RefusedLast < Promised);
        Tell($"");
        Tell($"Each within {Promised.TotalSeconds:0} s: {(isKept ? "yes" : "NO")}.");
        return isKept;

        string Row(LossEvent loss, Func<LossTimes, TimeSpan> time) => string.Join(
            " | ", hosts.Select(host => string.Create(CultureInfo.InvariantCulture, $"{time(longest[(host, loss)]).TotalSeconds:0.0} s")));
    }

    /// <summary>One loss, of a region that nothing else has happened to.</summary>
    internal async Task<LossTimes> MeasureAsync(ExperimentHost host, LossEvent loss, CancellationToken cancellationToken)
    {
        await using var regions = await RegionProcesses.StartAsync(host, roundTrip, Storage, cancellationToken);
        return LossTimes.Of(await regions.LoseFarAsync(loss, arrays, cancellationToken));
    }

    private static LossTimes Longest(LossTimes a, LossTimes b) => new(
        Max(a.AnsweredMiddle, b.AnsweredMiddle), Max(a.AnsweredLast, b.AnsweredLast), Max(a.RefusedMiddle, b.RefusedMiddle),
        Max(a.RefusedLast, b.RefusedLast));

    private static string Seconds(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.00} s");

    private static TimeSpan Max(TimeSpan a, TimeSpan b) => a > b ? a : b;

    private void Tell(FormattableString line)
    {
        output.WriteLine(line.ToString(CultureInfo.InvariantCulture));
        output.Flush();
    }
}
