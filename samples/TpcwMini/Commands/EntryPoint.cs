using System.CommandLine;
using Geo.Processes;
using Spectre.Console;
using TpcwMini.Options;

namespace TpcwMini.Commands;

/// <summary>Runs a command line and turns whatever stops it into one line and an exit code.</summary>
internal static class EntryPoint
{
    private const int WidthOfFiles = 160;

    public static async Task<int> RunAsync(string[] args, IAnsiConsole console)
    {
        if (!console.Profile.Out.IsTerminal)
        {
            console.Profile.Width = WidthOfFiles;
            console.Profile.Capabilities.Ansi = false;
            console.Profile.Capabilities.ColorSystem = ColorSystem.NoColors;
        }

        var parsed = new TpcwCommand().Create(console, args).Parse(args);
        if (parsed.Errors.Count > 0)
        {
            return Refuse($"{parsed.Errors[0].Message} See --help.");
        }

        try
        {
            // A key press that stops the run reaches the child processes as well: all of them wait for this one to put things in order.
            return await parsed.InvokeAsync(new InvocationConfiguration
            {
                EnableDefaultExceptionHandler = false,
                ProcessTerminationTimeout = Defaults.ProcessPatience,
            });
        }
        catch (Exception error) when (error is UsageException or ChildFailedException or GeoException)
        {
            return Refuse(error.Message);
        }
        catch (OperationCanceledException)
        {
            await Console.Error.WriteLineAsync("Stopped.");
            return ExitCodes.Cancelled;
        }
    }

    private static int Refuse(string reason)
    {
        Console.Error.WriteLine("tpcw-mini: " + reason.ReplaceLineEndings(" "));
        return ExitCodes.Refused;
    }
}
