using System.Globalization;
using System.Text;

namespace Geo.Experiments.ByteArrays;

/// <summary>
/// Figure 8 of the GEO paper: first and repeated accesses of a byte array from both regions, with the round trips between them.
/// </summary>
/// <param name="host">What runs the silos.</param>
/// <param name="roundTrip">Between the regions.</param>
/// <param name="storage">From California to the store.</param>
/// <param name="samples">How many accesses each number is the median of; in virtual time one is enough.</param>
/// <param name="output">Where the table goes.</param>
internal sealed class LatencyExperiment(ExperimentHost host, TimeSpan roundTrip, TimeSpan storage, int samples, TextWriter output)
{
    private const double PaperRoundTrip = 145;

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        var measured = host == ExperimentHost.Simulated
            ? new VirtualLatency(roundTrip, storage).Measure()
            : await MeasureAsync(cancellationToken);
        await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"{(host == ExperimentHost.Simulated ? "Virtual time" : $"{host}, processes, medians of {samples} accesses")} in ms (round "
            + $"trips between the regions): measured / paper. {roundTrip.TotalMilliseconds} ms between the regions, the store "
            + $"{storage.TotalMilliseconds} ms from California."));
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
        await using var regions = await RegionProcesses.StartAsync(host, roundTrip, storage, cancellationToken);
        return await new ProcessLatency(regions, samples).MeasureAsync(cancellationToken);
    }
}
