using System.Globalization;
using ByteArraySample;
using Geo.Experiments.ByteArrays;

namespace Geo.Experiments.Regions;

/// <summary>
/// What batching compare-and-swap makes of a store that three regions keep by majority: how long a strong update of a settled writer takes,
/// and how many a second one array takes, beside one store that is 145 ms away.
/// </summary>
/// <param name="host">What runs the silos.</param>
/// <param name="distances">Between the regions.</param>
/// <param name="samples">How many updates are timed, of as many arrays.</param>
/// <param name="load">How long each load lasts.</param>
/// <param name="output">Where the lines go.</param>
internal sealed class WritesExperiment(ExperimentHost host, Distances distances, int samples, TimeSpan load, TextWriter output)
{
    /// <summary>How much longer than 99 of 100 bare round trips to the nearest majority 99 of 100 updates may take at most.</summary>
    public static readonly TimeSpan Above = TimeSpan.FromMilliseconds(10);

    private const string Writer = "us";
    private const int Warmings = 2;
    private static readonly TimeSpan FarStore = TimeSpan.FromMilliseconds(145);
    private static readonly int[] Robots = [512, 2048, 8192];
    private static readonly int[] Updates = [100, 10];
    private static readonly string Class = Arrays.Prefix<SingleStoredArray>();

    private TimeSpan Trip => Distances.Regions.Where(region => region != Writer).Min(region => distances.Between(Writer, region));

    /// <returns>True when the updates were as fast as they are to be.</returns>
    public async Task<bool> RunAsync(CancellationToken cancellationToken)
    {
        await TellAsync($"{host}, {Environment.ProcessorCount} cores, .NET {Environment.Version}, {DateTime.UtcNow:u}");
        await TellAsync(
            $"three regions as processes keep all by majority, each in a file: round trips {distances.InWords}; the writer is in ",
            $"{Writer}, {Trip.TotalMilliseconds:0} ms from the nearest majority");
        double[] times;
        var trips = await EmulatedTrips.MeasureAsync(Trip, samples / 2, cancellationToken);
        var (byMajority, far) = (new List<double>(), new List<double>());
        await using (var regions = await ThreeRegions.StartAsync(host, distances, isLive: false, logFolder: null, cancellationToken))
        {
            times = await TimesAsync(regions, cancellationToken);
            trips = [.. trips.Concat(await EmulatedTrips.MeasureAsync(Trip, samples / 2, cancellationToken)).Order()];
            foreach (var updates in Updates)
            {
                byMajority.Add(await PeakAsync(
                    updates, async robots => (await regions.AskAsync(Writer, new(Load: robots), cancellationToken)).Answers));
            }
        }

        await using (var regions = await RegionProcesses.StartAsync(host, FarStore, FarStore, cancellationToken))
        {
            foreach (var updates in Updates)
            {
                far.Add(await PeakAsync(updates, robots => regions.LoadAsync(isNear: true, robots, cancellationToken)));
            }
        }

        var p99 = times[(int)(times.Length * 0.99)];
        var trip = trips[(int)(trips.Length * 0.99)];
        await TellAsync(
            $"a byte over the emulated {Trip.TotalMilliseconds:0} ms and back, 8 at a time, before and after, in ms: ",
            $"{trips[trips.Length / 2]:0.0} (middle), {trip:0.0} (p99), {trips[^1]:0.0} (longest)");
        await TellAsync(
            $"strong updates of {times.Length} arrays by a settled writer, 8 at a time, in ms: {times[times.Length / 2]:0.0} (middle), ",
            $"{p99:0.0} (p99), {times[^1]:0.0} (longest)");
        foreach (var (i, updates) in Updates.Index())
        {
            await TellAsync(
                $"one array, {updates} % updates, all strong, peak of {string.Join(", ", Robots)} robots: {byMajority[i]:0}/s by ",
                $"majority, {far[i]:0}/s with one store {FarStore.TotalMilliseconds:0} ms away: {byMajority[i] / far[i]:0.00} times");
        }

        // On a machine that is busy with other things the trips are late, too, and nothing is shown.
        var most = trip + Above.TotalMilliseconds;
        var isKept = p99 <= most && trip <= (Trip + Above).TotalMilliseconds;
        await TellAsync(
            $"p99 at most {Above.TotalMilliseconds:0} ms above that of the bare trip, {most:0.0} ms: {(isKept ? "yes" : "NO")}");
        return isKept;
    }

    private async Task<double[]> TimesAsync(ThreeRegions regions, CancellationToken cancellationToken)
    {
        var step = new RegionStep(Class, IsLatest: true, IsUpdate: true, FirstKey: 0, samples);
        for (var i = 0; i < Warmings; i++)
        {
            // The first makes the instances, and has the writer settled.
            await regions.AskAsync(Writer, new(Step: step), cancellationToken);
        }

        return [.. (await regions.AskAsync(Writer, new(Step: step), cancellationToken)).Times!.Order()];
    }

    private async Task<double> PeakAsync(int updates, Func<RegionLoad, Task<long>> answers)
    {
        var most = 0.0;
        foreach (var robots in Robots)
        {
            var answered = await answers(new RegionLoad(Class, $"peak-{updates}", IsLatest: true, updates, robots, load));
            most = Math.Max(most, answered / (load * (2 / 3.0)).TotalSeconds);
        }

        return most;
    }

    private async Task TellAsync(params FormattableString[] line)
    {
        await output.WriteLineAsync(string.Concat(line.Select(part => part.ToString(CultureInfo.InvariantCulture))));
        await output.FlushAsync();
    }
}
