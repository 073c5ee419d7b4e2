using System.CommandLine;

namespace Geo.Experiments.Simulation;

/// <summary>The command <c>simulate</c>.</summary>
internal static class SimulateCommand
{
    public static Command Create() => Create(RunAsync);

    /// <param name="search">Searches so many processes' work.</param>
    internal static Command Create(Func<int, ShardWork, CancellationToken, Task<int>> search)
    {
        var seeds = new Option<int>("--seeds") { Description = "How many seeds to run.", DefaultValueFactory = _ => 10_000 };
        var from = new Option<int>("--from") { Description = "The first seed.", DefaultValueFactory = _ => 1 };
        var processes = new Option<int>("--processes")
        {
            Description = "How many processes share the seeds; one for each core by default.",
            DefaultValueFactory = _ => Environment.ProcessorCount,
        };
        var clusters =
            new Option<int?>("--clusters") { Description = "How many clusters each run has, 2 or 3; as its seed says by default." };
        var silos = new Option<int?>("--silos") { Description = "How many silos each cluster has, 1 to 3; as its seed says by default." };
        var views = new Option<bool>("--views")
        {
            Description = "Sessions on views of every kind, with every checker, in place of the standard simulation; --clusters and "
                + "--silos do not count.",
        };
        var lattices = new Option<bool>("--lattices")
        {
            Description = "Replicas of coordination-free grains alone, with and without stores, in place of whole silos.",
        };
        var quorum = new Option<bool>("--quorum")
        {
            Description = "A majority of three clusters says who owns the grains, and in some seeds keeps their states.",
        };
        var configuration = new Option<bool>("--configuration")
        {
            Description = "Clusters are added, taken out and given up as lost meanwhile; together with --quorum, too.",
        };
        var homes = new Option<bool>("--homes")
        {
            Description = "The grains live in a cluster by name, or with their callers; together with the two before, too.",
        };
        foreach (var (option, least, most) in new[] { (seeds, 1, int.MaxValue / 2), (from, 0, int.MaxValue / 2), (processes, 1, 256) })
        {
            option.Validators.Add(result =>
            {
                if (result.GetValue(option) is var value && (value < least || value > most))
                {
                    result.AddError($"{option.Name} is {value}; give a number from {least} to {most}.");
                }
            });
        }

        clusters.Validators.Add(result =>
        {
            if (result.GetValue(clusters) is not (null or 2 or 3))
            {
                result.AddError($"{clusters.Name} is {result.GetValue(clusters)}; give 2 or 3.");
            }
        });
        silos.Validators.Add(result =>
        {
            if (result.GetValue(silos) is not (null or 1 or 2 or 3))
            {
                result.AddError($"{silos.Name} is {result.GetValue(silos)}; give 1, 2 or 3.");
            }
        });
        var command = new Command(
            "simulate",
            "Runs the silos that ship in simulated worlds, one a seed, until an invariant breaks; the failing seed is made short and told.")
        {
            seeds, from, processes, clusters, silos, views, lattices, quorum, configuration, homes,
        };
        command.SetAction((parsed, cancellationToken) => search(
            parsed.GetValue(processes),
            new ShardWork(
                0, 1, parsed.GetValue(from), parsed.GetValue(seeds), parsed.GetValue(clusters), parsed.GetValue(silos),
                parsed.GetValue(views) ? SimulatedWorld.Views : parsed.GetValue(lattices) ? SimulatedWorld.Lattices : SimulatedWorld.Silos,
                parsed.GetValue(quorum), parsed.GetValue(configuration), parsed.GetValue(homes)),
            cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(int processes, ShardWork work, CancellationToken cancellationToken)
    {
        using var search = new SeedSearch(processes, work, progress => Console.WriteLine(progress));
        await search.RunAsync(cancellationToken);
        Console.WriteLine(search.Progress);
        if (search.Failure is not { } failure)
        {
            Console.WriteLine("No violation.");
            return 0;
        }

        Console.WriteLine(failure);
        return 1;
    }
}
