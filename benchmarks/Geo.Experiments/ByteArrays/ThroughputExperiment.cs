using System.Diagnostics;
using System.Globalization;
using ByteArraySample;

namespace Geo.Experiments.ByteArrays;

/// <summary>
/// Figures 9 and 10 of the GEO paper: the peak throughput of one array. Robots call one after the other, more and more of them, until
/// what is answered in time falls.
/// </summary>
internal sealed class ThroughputExperiment(TimeSpan roundTrip, TimeSpan storage, TimeSpan load, int mostRobots, TextWriter output)
{
    // As in the paper.
    private static readonly TimeSpan InTime = TimeSpan.FromSeconds(1.5);

    private int _keys;

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await using var regions = await Regions.StartAsync(roundTrip, storage);
        await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"Peak of answers within 1.5 s, in operations a second: {load.TotalSeconds} s a load, the first third of it left out; four "
            + $"times the robots until the answers fall, {mostRobots} at most. {roundTrip.TotalMilliseconds} ms between regions, store "
            + $"{storage.TotalMilliseconds} ms from California."));
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

    private async Task<double> RateAsync(Regions regions, ThroughputRow row, int robots, CancellationToken cancellationToken)
    {
        var key = Interlocked.Increment(ref _keys).ToString(CultureInfo.InvariantCulture);
        var near = regions.California.GetGrain<IByteArray>(key, row.Class);
        var far = regions.Netherlands.GetGrain<IByteArray>(key, row.Class);
        await (row.IsAtNear ? near : far).Read(0, row.IsLatest);
        var (began, answers) = (Stopwatch.GetTimestamp(), 0L);
        await Task.WhenAll(Enumerable.Range(0, robots).Select(
            i => Task.Run(() => RobotAsync(row.IsSpread && i % 2 == 1 ? far : near, i), cancellationToken)));
        return answers / (load * (2 / 3.0)).TotalSeconds;

        async Task RobotAsync(IByteArray array, int robot)
        {
            var random = new Random(robot);
            while (Stopwatch.GetElapsedTime(began) is var sent && sent < load && !cancellationToken.IsCancellationRequested)
            {
                var offset = random.Next(Arrays.Size - Arrays.Part);
                try
                {
                    await (random.Next(100) < row.Updates
                        ? array.Update(offset, new byte[Arrays.Part], row.IsLatest)
                        : array.Read(offset, row.IsLatest)).WaitAsync(load + InTime - sent, cancellationToken);
                }
                catch (Exception e) when (e is GeoException or TimeoutException)
                {
                    // It was not answered in time; nothing is counted.
                    continue;
                }

                var ended = Stopwatch.GetElapsedTime(began);
                if (ended - sent <= InTime && ended > load / 3 && ended <= load)
                {
                    Interlocked.Increment(ref answers);
                }
            }
        }
    }
}
