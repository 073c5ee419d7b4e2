using System.Globalization;

namespace Geo.Experiments.ByteArrays;

/// <summary>
/// Figures 9 and 10 of the GEO paper: the peak throughput of one array. Robots in both regions' processes call one after the other, more
/// and more of them, until what is answered in time falls.
/// </summary>
internal sealed class ThroughputExperiment(
    ExperimentHost host, TimeSpan roundTrip, TimeSpan storage, TimeSpan load, int mostRobots, TextWriter output)
{
    private const int LeastRobots = 8;
    private const int Repeats = 3;

    private int _keys;

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await using var regions = await RegionProcesses.StartAsync(host, roundTrip, storage, cancellationToken);
        await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"{host}, a process a region. Peak of answers within 1.5 s, in operations a second: {load.TotalSeconds} s a load, the first "
            + $"third of it left out; four times the robots until the answers fall, {mostRobots} at most, then half and twice as many, and "
            + $"the best load {Repeats} times: the middle, the least and the most. "
            + $"{roundTrip.TotalMilliseconds} ms between regions, store {storage.TotalMilliseconds} ms from California."));
        await output.WriteLineAsync();
        await output.WriteLineAsync("| | operations/s | robots | paper |");
        await output.WriteLineAsync("|---|---|---|---|");
        foreach (var row in ThroughputRows.All)
        {
            var (robots, rates) = await PeakAsync(regions, row, cancellationToken);
            await output.WriteLineAsync(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"| {row.Name} | {rates[Repeats / 2]:N0} ({rates[0]:N0} to {rates[^1]:N0}) | {robots:N0} | {row.Paper} |").AsMemory(),
                cancellationToken);
        }
    }

    private async Task<(int Robots, double[] Rates)> PeakAsync(
        RegionProcesses regions, ThroughputRow row, CancellationToken cancellationToken)
    {
        var rates = new SortedDictionary<int, double>();
        for (var robots = LeastRobots; robots <= mostRobots; robots *= 4)
        {
            rates[robots] = await RateAsync(regions, row, robots, cancellationToken);
            if (rates[robots] < rates.Values.Max() * 0.9)
            {
                break;
            }
        }

        var best = rates.MaxBy(r => r.Value).Key;
        foreach (var robots in ((int[])[best / 2, best * 2]).Where(r => r <= mostRobots))
        {
            rates[robots] = await RateAsync(regions, row, robots, cancellationToken);
        }

        best = rates.MaxBy(r => r.Value).Key;
        var repeats = new List<double>();
        while (repeats.Count < Repeats)
        {
            // Not the run that was chosen because it was the best.
            repeats.Add(await RateAsync(regions, row, best, cancellationToken));
        }

        return (best, [.. repeats.Order()]);
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
