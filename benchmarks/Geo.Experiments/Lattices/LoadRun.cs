using System.Diagnostics;

namespace Geo.Experiments.Lattices;

/// <summary>What one structure did under one load.</summary>
/// <param name="Operations">Operations a second, of all threads.</param>
/// <param name="CpuNanoseconds">
/// Processor time an operation, of the whole process and of a server beside it: gossip and garbage collection included.
/// </param>
/// <param name="Wrong">What readers saw at the end that they should not; null for nothing.</param>
internal sealed record LoadRun(double Operations, double CpuNanoseconds, string? Wrong)
{
    private const int Batch = 256;

    /// <summary>Runs threads over their keys for a time.</summary>
    /// <param name="structure">What they use; disposed of at the end.</param>
    /// <param name="keys">The keys of each thread.</param>
    /// <param name="range">How many keys there are.</param>
    /// <param name="mix">The operations.</param>
    /// <param name="time">How long.</param>
    public static async Task<LoadRun> RunAsync(IKeyed structure, int[][] keys, int range, Mix mix, TimeSpan time)
    {
        await using var used = structure;
        var (done, updates) = (new long[keys.Length], new long[keys.Length]);
        GC.Collect();
        var (began, cpu) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime + structure.ProcessorTimeElsewhere);
        Thread[] threads = [.. keys.Select((_, thread) => new Thread(() => Run(thread)))];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());
        var elapsed = Stopwatch.GetElapsedTime(began);
        var spent = Environment.CpuUsage.TotalTime + structure.ProcessorTimeElsewhere - cpu;
        var wrong = await structure.CheckAsync(updates.Sum(), range);
        return new(done.Sum() / elapsed.TotalSeconds, spent.TotalNanoseconds / Math.Max(1, done.Sum()), wrong);

        void Run(int thread)
        {
            var (mine, at, seen, random) = (keys[thread], 0, 0L, new Random(thread));
            while (Stopwatch.GetElapsedTime(began) < time)
            {
                for (var i = 0; i < Batch; i++)
                {
                    at = at + 1 == mine.Length ? 0 : at + 1;
                    var (updated, value) = mix.Do(structure, thread, mine[at], range, random);
                    updates[thread] += updated;
                    seen += value;
                }

                done[thread] += Batch;
            }

            GC.KeepAlive(seen);
        }
    }
}
