using System.Diagnostics;
using System.Globalization;
using System.Text;
using ByteArraySample;

namespace Geo.Experiments.ByteArrays;

/// <summary>
/// Figure 8 of the GEO paper: first and repeated accesses of a byte array from both regions, with the round trips between them.
/// </summary>
/// <param name="roundTrip">Between the regions.</param>
/// <param name="storage">From California to the store.</param>
/// <param name="samples">How many accesses in real time each number is the median of; 0 for one access in virtual time.</param>
/// <param name="output">Where the table goes.</param>
internal sealed class LatencyExperiment(TimeSpan roundTrip, TimeSpan storage, int samples, TextWriter output)
{
    private const double PaperRoundTrip = 145;
    private const int AtATime = 8;

    private int _keys;

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        var measured = samples == 0
            ? new VirtualLatency(roundTrip, storage).Measure()
            : await MeasureAsync(cancellationToken);
        await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"{(samples == 0 ? "Virtual time" : $"Medians of {samples} accesses")} in ms (round trips between the regions): measured / "
            + $"paper. {roundTrip.TotalMilliseconds} ms between the regions, the store {storage.TotalMilliseconds} ms from California."));
        await output.WriteLineAsync();
        await output.WriteLineAsync("| | C first read | first update | read | update | N first read | first update | read | update |");
        await output.WriteLineAsync("|---|---|---|---|---|---|---|---|---|");
        foreach (var (row, times) in LatencyRows.All.Zip(measured))
        {
            var line = new StringBuilder($"| {row.Name} |");
            foreach (var (time, paper) in times.Zip(row.Paper))
            {
                line.Append(CultureInfo.InvariantCulture,
                    $" {time:0.#} ({Trips(time, roundTrip.TotalMilliseconds)}) / {paper:0} ({Trips(paper, PaperRoundTrip)}) |");
            }

            await output.WriteLineAsync(line, cancellationToken);
        }
    }

    /// <summary>How many round trips a time has room for; a near store and the machine take the rest.</summary>
    internal static int Trips(double milliseconds, double roundTrip) => (int)((milliseconds + (0.05 * roundTrip)) / roundTrip);

    private async Task<double[][]> MeasureAsync(CancellationToken cancellationToken)
    {
        await using var regions = await Regions.StartAsync(roundTrip, storage);
        var measured = new List<double[]>();
        foreach (var row in LatencyRows.All)
        {
            // Code that runs for the first time, and links that carry their first messages.
            await MedianAsync(regions, row, LatencyAccess.OfRow[1], AtATime, cancellationToken);
            var times = new double[row.Paper.Length];
            for (var i = 0; i < times.Length; i++)
            {
                times[i] = await MedianAsync(regions, row, LatencyAccess.OfRow[i], samples, cancellationToken);
            }

            measured.Add(times);
        }

        return [.. measured];
    }

    private async Task<double> MedianAsync(
        Regions regions, LatencyRow row, LatencyAccess access, int count, CancellationToken cancellationToken)
    {
        var times = new double[count];
        var options = new ParallelOptions { MaxDegreeOfParallelism = AtATime, CancellationToken = cancellationToken };
        await Parallel.ForAsync(0, count, options, async (i, _) =>
        {
            var took = await access.MakeAsync(row, Interlocked.Increment(ref _keys), async (isNear, call) =>
            {
                var began = Stopwatch.GetTimestamp();
                await call(isNear ? regions.California : regions.Netherlands);
                return Stopwatch.GetElapsedTime(began);
            });
            times[i] = took.TotalMilliseconds;
        });
        Array.Sort(times);
        return times[count / 2];
    }
}
