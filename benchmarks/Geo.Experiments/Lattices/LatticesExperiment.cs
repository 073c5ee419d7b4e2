using System.Globalization;
using Geo.Experiments.Lattices.Redis;

namespace Geo.Experiments.Lattices;

/// <summary>
/// Anna's Figures 4 and 5 and YCSB on replicas of lattices beside dictionaries of one process, and three regions of grains beside
/// linearizable ones: tables as they come, and a line a cell in a raw file.
/// </summary>
internal sealed class LatticesExperiment(int keys, TimeSpan time, TimeSpan roundTrip, TextWriter output, TextWriter raw)
{
    private const int Drawn = 1 << 20;

    // With four threads: one replica for all of them, a part of them, and each its own ("all").
    private static readonly int[] Factors = [1, 2, 3, 4];

    private IReadOnlyList<Structures> _structures = Structures.All;

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await output.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture,
            $"{Environment.ProcessorCount} processors, load {LoadAverage()}, {keys:N0} keys, {time.TotalSeconds} s a cell, gossip every "
            + $"100 ms inside the run; million operations a second, and ns of processor time an operation in brackets."));
        await raw.WriteLineAsync("part,values,zipf,mix,structure,threads,replicas,operations_per_second,cpu_ns_per_operation,wrong");
        await using var redis = RedisServer.Absence is null ? await RedisServer.StartAsync(cancellationToken) : null;
        if (redis is null)
        {
            await output.WriteLineAsync($"Redis is left out: {RedisServer.Absence}.");
        }
        else
        {
            _structures = [.. Structures.All.Select(values => values.With(redis))];
        }

        foreach (var zipf in new[] { 4.0, 0.5 })
        {
            await ContentionAsync(zipf, cancellationToken);
            await GrowthAsync(zipf, cancellationToken);
        }

        await YcsbAsync(cancellationToken);
        await new GrainsExperiment(keys, time, output, raw).RunAsync(cancellationToken);
        await new RegionsExperiment(roundTrip, time * 3, output, raw).RunAsync(cancellationToken);
    }

    private async Task ContentionAsync(double zipf, CancellationToken cancellationToken)
    {
        await TableAsync($"Updates, zipf {zipf}", ["1 thread", "2 threads"]);
        foreach (var values in _structures)
        {
            foreach (var (name, make) in values.Plain)
            {
                await RowAsync(
                    "contention", values.Name, zipf, Mix.UpdateOnly, name, [1, 2], threads => (make(threads), 0), cancellationToken);
            }

            await RowAsync(
                "contention", values.Name, zipf, Mix.UpdateOnly, "lattice, one replica", [1, 2], threads => (values.Lattice(threads, 1), 1),
                cancellationToken);
            await RowAsync(
                "contention", values.Name, zipf, Mix.UpdateOnly, "lattice, a replica a thread", [1, 2],
                threads => (values.Lattice(threads, threads), threads), cancellationToken);
        }
    }

    private async Task GrowthAsync(double zipf, CancellationToken cancellationToken)
    {
        await TableAsync($"Updates by four threads, zipf {zipf}, by replicas", [.. Factors.Select(f => f == 4 ? "all (4)" : $"{f}")]);
        foreach (var values in _structures)
        {
            await RowAsync(
                "growth", values.Name, zipf, Mix.UpdateOnly, "lattice", Factors, factor => (values.Lattice(4, factor), factor),
                cancellationToken, threads: 4);
        }
    }

    private async Task YcsbAsync(CancellationToken cancellationToken)
    {
        var values = _structures[0];
        await TableAsync("YCSB, zipf 0.99, 8 B, 2 threads", [.. values.Plain.Select(p => p.Name), "lattice, a replica a thread"]);
        foreach (var mix in Mix.Ycsb)
        {
            List<Func<IKeyed>> all = [.. values.Plain.Select(p => (Func<IKeyed>)(() => p.Make(2))), () => values.Lattice(2, 2)];
            await RowAsync(
                "ycsb", values.Name, 0.99, mix, mix.Name, [.. Enumerable.Range(0, all.Count)],
                place => (all[place](), place == all.Count - 1 ? 2 : 0), cancellationToken, threads: 2);
        }
    }

    private async Task TableAsync(string title, IReadOnlyList<string> columns)
    {
        await output.WriteLineAsync($"\n### {title}\n\n| values | structure | {string.Join(" | ", columns)} |");
        await output.WriteLineAsync($"|---|---|{string.Concat(columns.Select(_ => "---:|"))}");
    }

    private async Task RowAsync(
        string part, string values, double zipf, Mix mix, string name, int[] columns, Func<int, (IKeyed Structure, int Replicas)> make,
        CancellationToken cancellationToken, int? threads = null)
    {
        await output.WriteAsync($"| {values} | {name} |");
        foreach (var column in columns)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int[][] drawn = [.. Enumerable.Range(0, threads ?? column).Select(t => Zipf.Draw(keys, zipf, Drawn, t))];
            var (structure, replicas) = make(column);
            var run = await LoadRun.RunAsync(structure, drawn, keys, mix, time);
            var wrong = run.Wrong is null ? "" : $" WRONG: {run.Wrong}";
            await output.WriteAsync(string.Create(
                CultureInfo.InvariantCulture, $" {run.Operations / 1e6:F2} ({run.CpuNanoseconds:F0}){wrong} |"));
            await raw.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture,
                $"{part},{values},{zipf},{mix.Name.Replace(',', ';')},{name.Replace(',', ';')},{drawn.Length},{replicas},"
                + $"{run.Operations:F0},{run.CpuNanoseconds:F1},{run.Wrong}"));
        }

        await output.WriteLineAsync();
    }

    private static string LoadAverage() =>
        File.Exists("/proc/loadavg") ? File.ReadAllText("/proc/loadavg").Split(' ')[0] : "unknown";
}
