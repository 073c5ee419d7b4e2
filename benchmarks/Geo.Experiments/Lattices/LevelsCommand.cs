using System.CommandLine;
using System.Globalization;

namespace Geo.Experiments.Lattices;

/// <summary>The command <c>lattices levels</c>: what each level costs over simple eventual (Anna Figure 10).</summary>
internal static class LevelsCommand
{
    public static Command Create()
    {
        var operations = new Option<int>("--operations")
        {
            Description = "How many operations a level makes in a round.",
            DefaultValueFactory = _ => 500_000,
        };
        var rounds = new Option<int>("--rounds") { Description = "How often.", DefaultValueFactory = _ => 5 };
        var keys = new Option<int>("--keys") { Description = "How many grains a level has.", DefaultValueFactory = _ => 10_000 };
        var command = new Command("levels", "The cost of each level over simple eventual, in one process.") { operations, rounds, keys };
        command.SetAction((parsed, _) => RunAsync(
            parsed.GetValue(operations), parsed.GetValue(rounds), parsed.GetValue(keys), Console.Out));
        return command;
    }

    internal static async Task RunAsync(int operations, int rounds, int keys, TextWriter output)
    {
        await output.WriteLineAsync(
            $"Two clusters in this process, each with a session of every level: transactions of three reads and three writes of 8 B "
            + $"registers, {keys} a level. {rounds} rounds of {operations} operations a level, in another order each; ratios within a "
            + "round. CPU is that of the process, replication included.");
        await using var pair = await LevelPair.StartAsync(keys);
        var levels = Enum.GetValues<ConsistencyLevel>();
        var runs = levels.ToDictionary(l => l, _ => new List<LevelRun>());
        var random = new Random(1);
        for (var round = 0; round <= rounds; round++)
        {
            foreach (var level in levels.OrderBy(_ => random.Next()).ToArray())
            {
                var run = await pair.RunAsync(level, operations);
                if (round > 0)
                {
                    // Round 0 warms up.
                    runs[level].Add(run);
                }
            }
        }

        var weakest = runs[ConsistencyLevel.SimpleEventual];
        await output.WriteLineAsync(
            "| level | operations/s, median | CPU us an operation | CPU over simple eventual: median (least to most) "
            + "| B allocated an operation |");
        await output.WriteLineAsync("|---|---|---|---|---|");
        foreach (var level in levels)
        {
            var costs = runs[level].Select((r, i) => (r.CpuAnOperation / weakest[i].CpuAnOperation) - 1).Order().ToList();
            await output.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture,
                $"| {level} | {Median(runs[level].Select(r => r.Rate)):N0} | {Median(runs[level].Select(r => r.CpuAnOperation)):N2} "
                + $"| {Median(costs):P0} ({costs[0]:P0} to {costs[^1]:P0}) "
                + $"| {Median(runs[level].Select(r => r.BytesAnOperation)):N0} |"));
        }
    }

    private static double Median(IEnumerable<double> values) => values.Order().ToList() is var sorted ? sorted[sorted.Count / 2] : 0;
}
