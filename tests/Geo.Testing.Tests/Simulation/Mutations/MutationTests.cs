using System.Globalization;
using System.Text.RegularExpressions;

namespace Geo.Testing.Tests;

public class MutationSearch(ITestOutputHelper output)
{
    [Fact]
    public void Trace()
    {
        var words = (Environment.GetEnvironmentVariable("GEO_T") ?? "1 0 0").Split(' ');
        int? clusters = words[1] == "0" ? null : int.Parse(words[1]);
        int? silos = words[2] == "0" ? null : int.Parse(words[2]);
        try
        {
            var r = MultiClusterSimulation.Run(new SimulationSeed(int.Parse(words[0])), new() { Clusters = clusters, Silos = silos, KeepTrace = true, TraceFile = "/tmp/simmut-t" });
            File.WriteAllText("/tmp/simmut-t", r.Trace);
        }
        catch (SimulationException e)
        {
            output.WriteLine(e.ToString());
        }
    }

    [Fact]
    public void Search()
    {
        var pattern = Environment.GetEnvironmentVariable("GEO_MUT") ?? "^$";
        var max = int.Parse(Environment.GetEnvironmentVariable("GEO_MUT_MAX") ?? "100", CultureInfo.InvariantCulture);
        string[] names =
        [
            .. Enum.GetNames<ProtocolRule>(),
            .. "none>Requested Loser>Requested Doubtful>Requested Requested>Owned Requested>Doubtful Requested>Loser Requested>none Loser>none Loser>Doubtful Loser>Loser Owned>Owned Owned>none Doubtful>Doubtful Doubtful>none none>lease lease>lease lease>fence none>fence lease>none none>incarnation incarnation>incarnation".Split(' '),
            .. (Environment.GetEnvironmentVariable("GEO_MUT_PAIRS") ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries),
        ];
        foreach (var name in names.Where(n => Regex.IsMatch(n, pattern)))
        {
            foreach (var (config, options) in new (string, MultiClusterSimulationOptions)[] { ("standard", new()), ("c3", new() { Clusters = 3 }), ("s2", new() { Silos = 2 }), ("c3s2", new() { Clusters = 3, Silos = 2 }), ("s3", new() { Silos = 3 }), ("c2s1", new() { Clusters = 2, Silos = 1 }) })
            {
                if (Environment.GetEnvironmentVariable("GEO_MUT_CONF") is { } only && !only.Split(' ').Contains(config))
                {
                    continue;
                }

                var all = name.Contains('>', StringComparison.Ordinal)
                    ? options with { BreakRows = rows => new CarelessRows(rows, name.Split('>')[0], name.Split('>')[1]) }
                    : options with { SwitchOff = [.. name.Split('+').Select(Enum.Parse<ProtocolRule>)] };
                var found = "not found";
                var count = 0;
                var began = System.Diagnostics.Stopwatch.GetTimestamp();
                for (var seed = 1; seed <= max; seed++)
                {
                    try
                    {
                        MultiClusterSimulation.Run(new SimulationSeed(seed), all);
                    }
                    catch (SimulationException e)
                    {
                        count++;
                        if (count == 1)
                        {
                            found = $"{seed}: {e.Message[..Math.Min(170, e.Message.Length)]}";
                        }
                        if (Environment.GetEnvironmentVariable("GEO_MUT_ALL") is null)
                        {
                            break;
                        }
                    }
                }

                output.WriteLine($"{name} {config} [{count}, {System.Diagnostics.Stopwatch.GetElapsedTime(began).TotalSeconds:0.0} s] {found}");
            }
        }
    }
}
