using System.CommandLine;
using Geo.Tool.Commands;
using Geo.Tool.Connecting;
using Geo.Tool.Screens;
using Spectre.Console;

namespace Geo.Tool;

/// <summary>Runs a command line; whatever stops it becomes one line and an exit code.</summary>
internal static class EntryPoint
{
    /// <summary>A fault of the command line or of the silo: the line says which.</summary>
    public const int Refused = 1;

    /// <summary><c>doctor</c> has found something.</summary>
    public const int Found = 2;

    /// <summary>It was stopped before it had an answer, as shells say it of Ctrl-C.</summary>
    public const int Stopped = 130;

    private const int WidthOfFiles = 160;

    public static async Task<int> RunAsync(
        string[] args, IAnsiConsole console, TextWriter errors, CancellationToken cancellationToken = default)
    {
        if (!console.Profile.Out.IsTerminal)
        {
            console.Profile.Width = WidthOfFiles;
            console.Profile.Capabilities.Ansi = false;
            console.Profile.Capabilities.ColorSystem = ColorSystem.NoColors;
        }

        var parsed = GeoCommands.Create(console, errors).Parse(args);
        if (parsed.Errors.Count > 0)
        {
            return Refuse($"{parsed.Errors[0].Message} See --help.", errors);
        }

        try
        {
            return await parsed.InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false }, cancellationToken);
        }
        catch (ToolException e)
        {
            return Refuse(e.Message, errors);
        }
        catch (OperationCanceledException)
        {
            return Stopped;
        }
    }

    private static int Refuse(string reason, TextWriter errors)
    {
        errors.WriteLine("geo: " + Words.Printable(reason.ReplaceLineEndings(" ")));
        return Refused;
    }
}
