using System.CommandLine;
using Geo.Experiments.Messaging.Report;
using Geo.Experiments.Networks;
using Geo.Experiments.Processes;
using Spectre.Console;

namespace Geo.Experiments.Messaging;

/// <summary>The command <c>messaging</c>.</summary>
internal static class MessagingCommand
{
    private const int WidthOfFiles = 400;

    public static Command Create()
    {
        var options = new MessagingOptionSet();
        var command = new Command("messaging", "Echo and a quorum store over emulated distances, beside plain sockets (Partisan, ATC'19).");
        options.AddTo(command);
        command.SetAction(async (parsed, cancellationToken) =>
        {
            if (options.TableOf(parsed) is { Count: > 0 } files)
            {
                Console.Write(Page.Of([.. files.Select(RawFile.Read)]));
                return;
            }

            var console = ConsoleOf();
            var hasTunnels = ExperimentNetwork.KindOverDistance(useDelayLines: false) == NetworkKind.Tunnels;
            var plan = options.PlanOf(parsed, OrleansPeer.Assembly is not null, hasTunnels);
            Tell(plan, console);
            if (options.AsksForList(parsed))
            {
                List(plan);
                return;
            }

            var raw = await new MessagingExperiment(plan, console).RunAsync(cancellationToken);
            Console.WriteLine();
            Console.Write(Page.Of([RawFile.Read(raw)]));
            Console.WriteLine($"Raw data: {raw}");
        });
        return command;
    }

    private static void Tell(RunPlan plan, IAnsiConsole console)
    {
        if (OrleansPeer.Assembly is null)
        {
            console.MarkupLineInterpolated($"{OrleansPeer.Absence}");
        }
        else if (ExperimentNetwork.KindOverDistance(plan.UseDelayLines) == NetworkKind.DelayLines)
        {
            console.MarkupLineInterpolated(
                $"Orleans is left out over a distance: silos call each other by the address they have, past the delay lines.");
        }
    }

    private static void List(RunPlan plan)
    {
        foreach (var cell in plan.Cells)
        {
            Console.WriteLine(cell.Cell);
            foreach (var group in plan.RunsOf(cell).GroupBy(run => run.Variant))
            {
                Console.WriteLine($"  {group.Key.Name} ({group.Count()} x)");
            }
        }

        var runs = plan.Cells.SelectMany(plan.RunsOf, (cell, run) => (cell.Cell, run.Variant));
        Console.WriteLine($"About {plan.Estimate(runs).TotalMinutes:0} minutes.");
    }

    private static IAnsiConsole ConsoleOf()
    {
        if (!AnsiConsole.Profile.Out.IsTerminal)
        {
            AnsiConsole.Profile.Width = WidthOfFiles;
            AnsiConsole.Profile.Capabilities.Ansi = false;
            AnsiConsole.Profile.Capabilities.ColorSystem = ColorSystem.NoColors;
        }

        return AnsiConsole.Console;
    }
}
