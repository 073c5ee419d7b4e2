using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Experiments.Lattices;

/// <summary>
/// Grain calls in two linked clusters of one process: coordination-free counters beside coordinated ones, with the same keys and callers.
/// </summary>
internal sealed class GrainsExperiment(int keys, TimeSpan time, TextWriter output, TextWriter raw)
{
    private const int CallersInCluster = 16;
    private const int Drawn = 1 << 16;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    // Each grain is active in both clusters before anything is measured.
    private readonly int _keys = Math.Min(keys, 1_000);
    private readonly Dictionary<Type, long> _updates = [];

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await output.WriteLineAsync(
            $"\n### Calls of {_keys} counters in two linked clusters of this process, {CallersInCluster} callers in each; linearizable "
            + "reads and confirmed updates where there are such, the store in memory\n");
        await output.WriteLineAsync(
            "| zipf | mix | class | operations/s | CPU us an operation | p50 us | p99 us |\n|---|---|---|---:|---:|---:|---:|");
        var store = new InMemoryConditionalStore();
        var hosts = await LinkedPair.StartAsync(geo => geo.AddGrain<RegionGrains.Free>().AddGrain<RegionGrains.Led>()
            .AddGrain<RegionGrains.Stored>().AddStore(GeoStorage.Default, _ => store));
        try
        {
            foreach (var (type, name) in RegionGrains.Classes)
            {
                var counters = hosts.Select(h => CountersOf(h, type)).ToArray();
                await Parallel.ForEachAsync(counters.SelectMany(c => c), cancellationToken, async (c, _) => await c.Add());
                _updates[type] = counters.Length * _keys;
                foreach (var zipf in new[] { 4.0, 0.5 })
                {
                    foreach (var mix in (Mix[])[Mix.UpdateOnly, Mix.Ycsb[0], Mix.Ycsb[1]])
                    {
                        await MeasureAsync(type, name, counters, zipf, mix, cancellationToken);
                    }
                }
            }
        }
        finally
        {
            await LinkedPair.StopAsync(hosts);
        }
    }

    private IRegionCounter[] CountersOf(IHost host, Type type)
    {
        var grains = host.Services.GetRequiredService<IGrainFactory>();
        return [.. Enumerable.Range(0, _keys).Select(k => grains.GetGrain<IRegionCounter>($"{k}", type.FullName))];
    }

    private async Task MeasureAsync(
        Type type, string name, IRegionCounter[][] counters, double zipf, Mix mix, CancellationToken cancellationToken)
    {
        var (updates, taken) = (0L, new ConcurrentBag<List<double>>());
        var drawn = Zipf.Draw(_keys, zipf, Drawn, 1);
        var (began, cpu) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime);
        var callers = Enumerable.Range(0, counters.Length * CallersInCluster);
        await Task.WhenAll(callers.Select(i => Task.Run(() => CallAsync(i), cancellationToken)));
        var (elapsed, spent) = (Stopwatch.GetElapsedTime(began), Environment.CpuUsage.TotalTime - cpu);
        _updates[type] += updates;
        var all = taken.SelectMany(t => t).Order().ToArray();
        var (rate, each) = (all.Length / elapsed.TotalSeconds, spent.TotalMicroseconds / all.Length);
        var wrong = await CheckAsync(counters, _updates[type]);
        await output.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture,
            $"| {zipf} | {mix.Name} | {name} | {rate:N0} | {each:F1} | {all[all.Length / 2]:F0} | {all[(int)(all.Length * 0.99)]:F0} |"
            + $"{(wrong is null ? "" : $" WRONG: {wrong}")}"));
        await raw.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture,
            $"grains,counter,{zipf},{mix.Name.Replace(',', ';')},{name},{counters.Length * CallersInCluster},{counters.Length},{rate:F0},"
            + $"{each * 1000:F1},{wrong}"));

        async Task CallAsync(int caller)
        {
            var (mine, random, at) = (new List<double>(), new Random(caller), caller * (Drawn / 64));
            do
            {
                var counter = counters[caller % counters.Length][drawn[at++ & (Drawn - 1)]];
                var sent = Stopwatch.GetTimestamp();
                if (random.Next(100) < mix.Updates)
                {
                    await counter.Add();
                    Interlocked.Increment(ref updates);
                }
                else
                {
                    await counter.Get();
                }

                mine.Add(Stopwatch.GetElapsedTime(sent).TotalMicroseconds);
            }
            while (Stopwatch.GetElapsedTime(began) < time && !cancellationToken.IsCancellationRequested);

            taken.Add(mine);
        }
    }

    /// <summary>What is wrong with the sums that both clusters come to; null for nothing.</summary>
    private static async Task<string?> CheckAsync(IRegionCounter[][] counters, long updates)
    {
        var began = Stopwatch.GetTimestamp();
        while (true)
        {
            var sums = await Task.WhenAll(counters.Select(async all => (await Task.WhenAll(all.Select(c => c.Get()))).Sum()));
            if (Array.TrueForAll(sums, sum => sum == updates))
            {
                return null;
            }

            if (Stopwatch.GetElapsedTime(began) > Patience)
            {
                return $"clusters show {string.Join(" and ", sums)} after {updates} updates";
            }

            await Task.Delay(50);
        }
    }
}
