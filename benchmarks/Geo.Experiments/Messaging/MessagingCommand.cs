using System.CommandLine;
using System.IO.Enumeration;
using Spectre.Console;

namespace Geo.Experiments.Messaging;

/// <summary>The command <c>messaging</c>.</summary>
internal static class MessagingCommand
{
    private const int WidthOfFiles = 240;

    public static Command Create()
    {
        var only = new Option<string[]>("--only")
        {
            Description = "Only these cells, by name with * as wildcard, for example echo/512KB/20ms/x128 or 'hol*'; may be repeated.",
        };
        var variants = new Option<string[]>("--variants")
        {
            Description = "Only variants whose name contains one of these, for example plain or 'geo, 1 lane'; may be repeated.",
        };
        var lanes = Number("--lanes", 16, 1, 64, "What N is in 'N lanes' and 'N connections'.");
        var repeats = Number("--repeats", 5, 1, 100, "How often each variant runs; the variants of a cell take turns.");
        var seconds = Number("--seconds", 4, 1, 3600, "How long each run is measured.");
        var warmUp = Number("--warmup", 4, 0, 3600, "How long each run goes on before it is measured; less than 4 s shows slow start.");
        var output = new Option<string>("--output") { Description = "Where the raw data go.", DefaultValueFactory = _ => Path.Combine("artifacts", "messaging") };
        var delayLines = new Option<bool>("--delay-lines") { Description = "Delay lines on loopback in place of network namespaces, as without root." };
        var list = new Option<bool>("--list") { Description = "Print the names of the cells and do nothing." };
        var command = new Command("messaging", "Echo and a quorum store over emulated distances, beside plain sockets (Partisan, ATC'19).")
        {
            only, variants, lanes, repeats, seconds, warmUp, output, delayLines, list,
        };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var patterns = parsed.GetValue(only) ?? [];
            Cell[] cells = [.. Cell.All.Where(cell => patterns.Length == 0 || patterns.Any(pattern => FileSystemName.MatchesSimpleExpression(pattern, cell.ToString())))];
            if (cells.Length == 0)
            {
                throw new GeoConfigurationException($"No cell is called {string.Join(" or ", patterns)}. See --list.");
            }

            if (parsed.GetValue(list))
            {
                Array.ForEach(cells, cell => Console.WriteLine(cell));
                return;
            }

            var plan = new RunPlan(
                cells,
                parsed.GetValue(lanes),
                parsed.GetValue(repeats),
                parsed.GetValue(warmUp),
                parsed.GetValue(seconds),
                parsed.GetValue(variants) ?? [],
                parsed.GetValue(delayLines),
                parsed.GetValue(output)!);
            await new MessagingExperiment(plan, ConsoleOf()).RunAsync(cancellationToken);
        });
        return command;
    }

    private static Option<int> Number(string name, int standard, int least, int most, string description)
    {
        var option = new Option<int>(name) { Description = $"{description} {standard} by default.", DefaultValueFactory = _ => standard };
        option.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int>() is var value && (value < least || value > most))
            {
                result.AddError($"{name} must be {least} to {most}, not {value}.");
            }
        });
        return option;
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
