namespace Geo.Experiments.ByteArrays;

/// <summary>The regions as processes: medians in real time.</summary>
internal sealed class ProcessLatency(RegionProcesses regions, int samples)
{
    private const int Warming = 8;

    private int _keys;

    /// <summary>The times in ms, by row and access.</summary>
    public async Task<double[][]> MeasureAsync(CancellationToken cancellationToken)
    {
        var measured = new List<double[]>();
        foreach (var row in LatencyRows.All)
        {
            // Code that runs for the first time, in both regions, and links that carry their first messages.
            foreach (var access in LatencyAccess.OfRow)
            {
                await MedianAsync(row, access, Warming, cancellationToken);
            }

            var times = new double[row.Paper.Length];
            for (var i = 0; i < times.Length; i++)
            {
                times[i] = await MedianAsync(row, LatencyAccess.OfRow[i], samples, cancellationToken);
            }

            measured.Add(times);
        }

        return [.. measured];
    }

    private async Task<double> MedianAsync(LatencyRow row, LatencyAccess access, int count, CancellationToken cancellationToken)
    {
        double[] times = [];
        foreach (var step in access.Steps(row))
        {
            times = await regions.StepAsync(
                step.IsNear, new RegionStep(row.Class, row.IsLatest, step.IsUpdate, _keys, count), cancellationToken);
        }

        _keys += count;
        Array.Sort(times);
        return times[count / 2];
    }
}
