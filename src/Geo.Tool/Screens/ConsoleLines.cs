using Spectre.Console;

namespace Geo.Tool.Screens;

/// <summary>Writes what others said.</summary>
internal static class ConsoleLines
{
    /// <summary>Writes a line that steers no terminal.</summary>
    public static void Line(this IAnsiConsole console, string text) => console.WriteLine(Words.Printable(text));
}
