using System.Diagnostics;
using System.Globalization;

namespace Geo;

/// <summary>
/// How long an operation takes while the other regions can be reached, and while not, in blocks by turns. Neighbouring blocks share
/// whatever else the machine is doing; the median of their ratios forgets the pairs that do not.
/// </summary>
internal sealed class PairedTimes
{
    private const int WarmUps = 5;

    private readonly List<(Block Reachable, Block Cut)> _pairs = [];

    /// <summary>What being cut off changes in the middle of the times.</summary>
    public double P50 => RatioOf(b => b.P50);

    /// <summary>What it changes in the slowest one of a hundred.</summary>
    public double P99 => RatioOf(b => b.P99);

    /// <summary>How many blocks are run for so many pairs, those of the warm-up included.</summary>
    public static int BlocksFor(int pairs) => 2 * (pairs + WarmUps);

    /// <summary>Measures.</summary>
    /// <param name="pairs">How many pairs count.</param>
    /// <param name="operations">How many operations a block has.</param>
    /// <param name="switchAsync">Called before each block: true makes the others unreachable.</param>
    /// <param name="operation">What is measured.</param>
    public static async Task<PairedTimes> MeasureAsync(int pairs, int operations, Func<bool, Task> switchAsync, Func<Task> operation)
    {
        var found = new PairedTimes();
        for (var pair = -WarmUps; pair < pairs; pair++)
        {
            var isCutFirst = pair % 2 == 0;
            var (first, second) = (await RunAsync(isCutFirst), await RunAsync(!isCutFirst));
            if (pair >= 0)
            {
                found._pairs.Add(isCutFirst ? (second, first) : (first, second));
            }
        }

        return found;

        async Task<Block> RunAsync(bool isCut)
        {
            await switchAsync(isCut);
            var times = new double[operations];
            for (var i = 0; i < times.Length; i++)
            {
                var began = Stopwatch.GetTimestamp();
                await operation();
                times[i] = Stopwatch.GetElapsedTime(began).TotalMicroseconds;
            }

            Array.Sort(times);
            return new(times[times.Length / 2], times[times.Length * 99 / 100]);
        }
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"p50 {Median(p => p.Reachable.P50):F2} us reachable, {Median(p => p.Cut.P50):F2} us unreachable, ratio {P50:F3}; "
        + $"p99 {Median(p => p.Reachable.P99):F2} us, {Median(p => p.Cut.P99):F2} us, ratio {P99:F3}");

    private double RatioOf(Func<Block, double> value) => Median(p => value(p.Cut) / value(p.Reachable));

    private double Median(Func<(Block Reachable, Block Cut), double> value) => _pairs.Select(value).Order().ElementAt(_pairs.Count / 2);

    private readonly record struct Block(double P50, double P99);
}
