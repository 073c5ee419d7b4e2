using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Net;
using Geo.Testing.Storage;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Geo.Experiments.Lattices;

/// <summary>
/// Three regions of one process, delayed links between them: one counter that all add to, coordination-free and linearizable.
/// </summary>
internal sealed class RegionsExperiment(TimeSpan roundTrip, TimeSpan time, TextWriter output, TextWriter raw)
{
    private const int RobotsInRegion = 8;

    private static readonly string[] Names = ["california", "netherlands", "singapore"];

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await output.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture,
            $"\n### One counter in three regions, {roundTrip.TotalMilliseconds} ms apart, {RobotsInRegion} robots in each, half updates; "
            + $"linearizable reads and confirmed updates where there are such\n"));
        await output.WriteLineAsync("| class | operations/s | p50 ms | p99 ms |\n|---|---:|---:|---:|");
        var (hosts, links) = (new List<IHost>(), new List<DelayedLink>());
        try
        {
            await StartAsync(hosts, links);
            foreach (var (type, name) in RegionGrains.Classes)
            {
                await MeasureAsync(name, [.. hosts.Select(h =>
                    h.Services.GetRequiredService<IGrainFactory>().GetGrain<IRegionCounter>("one", type.FullName))], cancellationToken);
            }
        }
        finally
        {
            foreach (var host in Enumerable.Reverse(hosts))
            {
                await host.StopAsync(CancellationToken.None);
                host.Dispose();
            }

            foreach (var link in links)
            {
                await link.DisposeAsync();
            }
        }
    }

    private async Task MeasureAsync(string name, IRegionCounter[] counters, CancellationToken cancellationToken)
    {
        await Task.WhenAll(counters.Select(c => c.Add()));
        var (began, taken) = (Stopwatch.GetTimestamp(), new ConcurrentBag<List<double>>());
        var robots = Enumerable.Range(0, counters.Length * RobotsInRegion);
        await Task.WhenAll(robots.Select(i => Task.Run(() => RobotAsync(i), cancellationToken)));
        var all = taken.SelectMany(t => t).Order().ToArray();
        var (rate, p50, p99) = (all.Length / time.TotalSeconds, all[all.Length / 2], all[(int)(all.Length * 0.99)]);
        await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"| {name} | {rate:N0} | {p50:F3} | {p99:F3} |"));
        await raw.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture, $"regions,counter,,half updates; p50 {p50:F3} ms; p99 {p99:F3} ms,{name},,3,{rate:F0},,"));

        async Task RobotAsync(int robot)
        {
            var mine = new List<double>();
            for (var i = 0; Stopwatch.GetElapsedTime(began) < time && !cancellationToken.IsCancellationRequested; i++)
            {
                var sent = Stopwatch.GetTimestamp();
                await (i % 2 == 0 ? counters[robot % counters.Length].Add() : counters[robot % counters.Length].Get());
                mine.Add(Stopwatch.GetElapsedTime(sent).TotalMilliseconds);
            }

            taken.Add(mine);
        }
    }

    private async Task StartAsync(List<IHost> hosts, List<DelayedLink> links)
    {
        var store = new InMemoryConditionalStore();
        foreach (var name in Names)
        {
            // Each region dials those that are there already, over a link of its own.
            var ways = new Dictionary<string, List<string>>();
            foreach (var (other, host) in Names.Zip(hosts))
            {
                var link = DelayedLink.Start(new DelayedLinkOptions
                {
                    Target = IPEndPoint.Parse(host.Services.GetRequiredService<IGeoSilo>().ListeningOn!.ToString()),
                    OneWayDelay = roundTrip / 2,
                });
                links.Add(link);
                ways[other] = [link.ListeningOn.ToString()];
            }

            hosts.Add(await StartAsync(name, ways, new LatencyConditionalStore(store, roundTrip / 2, TimeProvider.System)));
        }

        foreach (var (host, name) in hosts.Zip(Names))
        {
            var silo = host.Services.GetRequiredService<IGeoSilo>();
            while (!Names.Where(n => n != name).All(n => silo.IsLinkedTo(new ClusterId(n))))
            {
                await Task.Delay(TimeSpan.FromMilliseconds(20));
            }
        }
    }

    private static async Task<IHost> StartAsync(string name, Dictionary<string, List<string>> ways, IConditionalStore store)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.UseGeoEmbedded(geo =>
        {
            geo.Configure(silo =>
            {
                (silo.ClusterId, silo.ListenOn) = (name, "127.0.0.1:0");
                foreach (var other in Names.Where(n => n != name))
                {
                    silo.Clusters[other] = ways.GetValueOrDefault(other, []);
                }
            });
            geo.AddGrain<RegionGrains.Free>().AddGrain<RegionGrains.Led>().AddGrain<RegionGrains.Stored>()
                .AddStore(GeoStorage.Default, _ => store);
        });
        var host = builder.Build();
        await host.StartAsync();
        return host;
    }
}
