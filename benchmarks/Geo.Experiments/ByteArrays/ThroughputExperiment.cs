using System.Globalization;

namespace Geo.Experiments.ByteArrays;

/// <summary>
/// Figures 9 and 10 of the GEO paper: the peak throughput of one array. Robots in both regions' processes call one after the other, more
/// and more of them, until what is answered in time falls.
/// </summary>
internal sealed class ThroughputExperiment(
    ExperimentHost host, TimeSpan roundTrip, TimeSpan storage, TimeSpan load, int mostRobots, TextWriter output)
{
    private int _keys;

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await using var regions = await RegionProcesses.StartAsync(host, roundTrip, storage, cancellationToken);
        await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"{host}, a process a region. Peak of answers within 1.5 s, in operations a second: {load.TotalSeconds} s a load, the first "
            + $"third of it left out; four times the robots until the answers fall, {mostRobots} at most. "
            + $"{roundTrip.TotalMilliseconds} ms between regions, store {storage.TotalMilliseconds} ms from California."));
        await output.WriteLineAsync();
        await output.WriteLineAsync("| | operations/s | robots | paper |");
        await output.WriteLineAsync("|---|---|---|---|");
        foreach (var row in ThroughputRows.All)
        {
            var (peak, at) = (0.0, 0);
            for (var robots = 8; robots <= mostRobots; robots *= 4)
            {
                var rate = await RateAsync(regions, row, robots, cancellationToken);
                if (rate > peak)
                {
                    (peak, at) = (rate, robots);
                }
                else if (rate < peak * 0.9)
                {
                    break;
                }
            }

            await output.WriteLineAsync(
                string.Create(CultureInfo.InvariantCulture, $"| {row.Name} | {peak:N0} | {at} | {row.Paper} |").AsMemory(),
                cancellationToken);
        }
    }

    private async Task<double> RateAsync(RegionProcesses regions, ThroughputRow row, int robots, CancellationToken cancellationToken)
    {
        var key = _keys++;
        await regions.StepAsync(row.IsAtNear, new RegionStep(row.Class, row.IsLatest, IsUpdate: false, key, 1), cancellationToken);
        var far = row.IsSpread ? robots / 2 : 0;
        var answers = await Task.WhenAll(LoadAsync(isNear: true, robots - far), LoadAsync(isNear: false, far));
        return answers.Sum() / (load * (2 / 3.0)).TotalSeconds;

        async Task<long> LoadAsync(bool isNear, int count) => count == 0 ? 0 : await regions.LoadAsync(
            isNear,
            new RegionLoad(row.Class, key.ToString(CultureInfo.InvariantCulture), row.IsLatest, row.Updates, count, load),
            cancellationToken);
    }
}
