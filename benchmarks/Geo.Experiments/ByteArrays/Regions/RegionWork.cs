using System.Diagnostics;
using System.Globalization;
using ByteArraySample;

namespace Geo.Experiments.ByteArrays;

/// <summary>Accesses arrays from a region.</summary>
/// <param name="find">An array of the region by key and class.</param>
internal sealed class RegionWork(Func<string, string, IByteArray> find)
{
    private const int AtATime = 8;

    // As in the paper.
    private static readonly TimeSpan InTime = TimeSpan.FromSeconds(1.5);

    /// <summary>Makes the accesses of a step, and gives the time of each in ms.</summary>
    public async Task<double[]> StepAsync(RegionStep step)
    {
        var times = new double[step.Count];
        await Parallel.ForAsync(0, step.Count, new ParallelOptions { MaxDegreeOfParallelism = AtATime }, async (i, _) =>
        {
            var array = find((step.FirstKey + i).ToString(CultureInfo.InvariantCulture), step.Class);
            var began = Stopwatch.GetTimestamp();
            await AccessAsync(array, 0, step.IsUpdate, step.IsLatest);
            times[i] = Stopwatch.GetElapsedTime(began).TotalMilliseconds;
        });
        return times;
    }

    /// <summary>Runs robots, and counts what is answered in time.</summary>
    public async Task<long> LoadAsync(RegionLoad load)
    {
        var array = find(load.Key, load.Class);
        var (began, answers) = (Stopwatch.GetTimestamp(), 0L);
        await Task.WhenAll(Enumerable.Range(0, load.Robots).Select(robot => Task.Run(() => RobotAsync(robot))));
        return answers;

        async Task RobotAsync(int robot)
        {
            var random = new Random(robot);
            while (Stopwatch.GetElapsedTime(began) is var sent && sent < load.Time)
            {
                var access = AccessAsync(
                    array, random.Next(Arrays.Size - Arrays.Part), random.Next(100) < load.Updates, load.IsLatest);
                try
                {
                    await access.WaitAsync(load.Time + InTime - sent);
                }
                catch (Exception e) when (e is GeoException or TimeoutException)
                {
                    // It was not answered in time; nothing is counted.
                    continue;
                }

                var ended = Stopwatch.GetElapsedTime(began);
                if (ended - sent <= InTime && ended > load.Time / 3 && ended <= load.Time)
                {
                    Interlocked.Increment(ref answers);
                }
            }
        }
    }

    /// <summary>Reads or overwrites a part of an array.</summary>
    internal static Task AccessAsync(IByteArray array, int offset, bool isUpdate, bool isLatest) =>
        isUpdate ? array.Update(offset, new byte[Arrays.Part], isLatest) : array.Read(offset, isLatest);
}
