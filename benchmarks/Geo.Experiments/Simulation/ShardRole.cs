using System.Globalization;
using System.Text.Json;
using Geo.Testing;

namespace Geo.Experiments.Simulation;

/// <summary>
/// This program as one process of a search through seeds: runs its seeds and prints a line now and then, until one fails.
/// </summary>
internal static class ShardRole
{
    public const string Name = "simulate-shard";

    // How many seeds pass between two lines.
    private const int LineEvery = 20;

    /// <param name="work">The <see cref="ShardWork"/>, as JSON.</param>
    public static int Run(string work)
    {
        var shard = JsonSerializer.Deserialize<ShardWork>(work)!;
        var (sum, told) = (new ShardLine(), TimeSpan.Zero);
        foreach (var seed in shard.Mine())
        {
            try
            {
                var (steps, time, hash) = Run(new SimulationSeed(seed), shard);
                if (ShardWork.IsRepeated(seed))
                {
                    Say(new ShardLine(Repeated: seed, Hash: hash));
                    if (shard.Of == 1)
                    {
                        Say(new ShardLine(Repeated: seed, Hash: Run(new SimulationSeed(seed), shard).Hash));
                    }
                }

                if (shard.IsOwn(seed))
                {
                    sum = sum.With(new(
                        1, steps, time.TotalSeconds, Traces: ulong.Parse(hash.AsSpan(0, 16), NumberStyles.HexNumber, null)));
                }
            }
            catch (SimulationException e)
            {
                SaySum();
                var failure = Tell(e, new SimulationSeed(seed), shard);
                Say(new ShardLine(Failed: $"{failure}{Environment.NewLine}Again: {shard.CommandOf(seed)}"));
                return 1;
            }

            if (sum.Passed >= LineEvery)
            {
                SaySum();
            }
        }

        SaySum();
        return 0;

        void SaySum()
        {
            var taken = Environment.CpuUsage.TotalTime;
            Say(sum with { CpuSeconds = (taken - told).TotalSeconds });
            (sum, told) = (new(), taken);
        }
    }

    private static (long Steps, TimeSpan Time, string Hash) Run(SimulationSeed seed, ShardWork shard)
    {
        if (shard.World == SimulatedWorld.Lattices)
        {
            var lattices = LatticeSimulation.Run(seed);
            return (lattices.Steps, lattices.Time, lattices.Hash);
        }

        var report = shard.World == SimulatedWorld.Views ? ViewSimulation.Run(seed) : MultiClusterSimulation.Run(seed, OptionsOf(shard));
        return (report.Steps, report.Time, report.TraceHash);
    }

    /// <summary>A seed that failed runs again, and the world of silos is made milder for as long as the same invariant breaks.</summary>
    private static string Tell(SimulationException failure, SimulationSeed seed, ShardWork shard)
    {
        try
        {
            if (shard.World == SimulatedWorld.Silos)
            {
                MultiClusterSimulation.Explore([seed], OptionsOf(shard));
            }
            else
            {
                Run(seed, shard);
            }
        }
        catch (SimulationException e)
        {
            return e.Message;
        }

        return $"{failure.Message} A second run of it in the same process passed: it is not deterministic.";
    }

    private static MultiClusterSimulationOptions OptionsOf(ShardWork shard) => new()
    {
        Clusters = shard.Clusters,
        Silos = shard.Silos,
        OwnsByQuorum = shard.Quorum,
        ChangesConfiguration = shard.Configuration,
        HasHomes = shard.Homes,
    };

    private static void Say(ShardLine line)
    {
        Console.Out.WriteLine(JsonSerializer.Serialize(line));
        Console.Out.Flush();
    }
}
