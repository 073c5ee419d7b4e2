using System.CommandLine;
using Geo.Experiments.Soak.Stores;
using Geo.Processes.Stores;

namespace Geo.Experiments.Soak;

/// <summary>The command <c>soak</c>: two regions under faults for a long time.</summary>
internal static class SoakCommand
{
    private const int Broken = 1;

    public static Command Create()
    {
        var minutes = new Option<double>("--minutes") { Description = "How long on each store.", DefaultValueFactory = _ => 30 };
        var seed = new Option<int>("--seed") { Description = "Decides about faults and orders.", DefaultValueFactory = _ => 1 };
        var customers = new Option<int>("--customers") { Description = "How many order.", DefaultValueFactory = _ => 16 };
        var store = new Option<SoakStoreKind?>("--store") { Description = "One store; without it one after the other." };
        var logs = new Option<string>("--logs")
        {
            Description = "Where the regions' logs go.",
            DefaultValueFactory = _ => Path.Combine("artifacts", "soak"),
        };
        var command = new Command(
            "soak",
            "Two regions as processes sell from one stock while processes are killed and frozen, links cut, the store restarted. Nothing "
            + "may be oversold, no confirmed order lost, and no memory grow.")
        {
            minutes,
            seed,
            customers,
            store,
            logs,
        };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var isClean = true;
            foreach (var kind in parsed.GetValue(store) is { } one ? [one] : Enum.GetValues<SoakStoreKind>())
            {
                if (kind == SoakStoreKind.Postgres && PostgresServer.Absence is { } absence)
                {
                    await Console.Out.WriteLineAsync($"left out: {absence}");
                    continue;
                }

                var report = await SoakRun.RunAsync(
                    new SoakOptions(
                        kind, TimeSpan.FromMinutes(parsed.GetValue(minutes)), parsed.GetValue(seed), parsed.GetValue(customers),
                        parsed.GetValue(logs)!),
                    Console.Out,
                    cancellationToken);
                isClean &= report.IsClean;
                foreach (var line in report.Lines())
                {
                    await Console.Out.WriteLineAsync(line);
                }
            }

            return isClean ? 0 : Broken;
        });
        return command;
    }
}
