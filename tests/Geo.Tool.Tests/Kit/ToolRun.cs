using System.Text.Json;
using Spectre.Console;

namespace Geo.Tool.Tests.Kit;

/// <summary>What one run of the tool came to.</summary>
internal sealed record ToolRun(int ExitCode, string Output, string Errors)
{
    /// <summary>The answer, of a run with <c>--json</c>.</summary>
    public JsonElement ReadJson() => JsonDocument.Parse(Output).RootElement;

    /// <summary>Runs the tool in this process.</summary>
    /// <param name="command">Its arguments.</param>
    /// <param name="key">The key that it finds in a file; null for no file.</param>
    public static async Task<ToolRun> OfAsync(string[] command, string? key)
    {
        var file = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(file, key, TestContext.Current.CancellationToken);
            using var output = new StringWriter();
            using var errors = new StringWriter();
            var console = AnsiConsole.Create(new() { Out = new AnsiConsoleOutput(output) });
            string[] all = key is null ? command : [.. command, "--key-file", file];
            var code = await EntryPoint.RunAsync(all, console, errors, TestContext.Current.CancellationToken);
            return new(code, output.ToString(), errors.ToString());
        }
        finally
        {
            File.Delete(file);
        }
    }
}
