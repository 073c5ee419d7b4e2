using System.Diagnostics;

namespace Geo.Packages.Tests.Kit;

/// <summary>Runs the .NET SDK in a folder, as somebody at a terminal would.</summary>
internal static class DotNet
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(5);

    /// <summary>Runs a command to its end.</summary>
    /// <returns>What it printed.</returns>
    /// <exception cref="InvalidOperationException">It failed; the message has its output.</exception>
    public static async Task<string> RunAsync(
        string folder, IEnumerable<string> arguments, IReadOnlyDictionary<string, string>? environment = null)
    {
        var (code, output) = await TryAsync(folder, arguments, environment);
        return code == 0
            ? output
            : throw new InvalidOperationException($"dotnet {string.Join(' ', arguments)} ended with {code}:{Environment.NewLine}{output}");
    }

    public static async Task<(int Code, string Output)> TryAsync(
        string folder, IEnumerable<string> arguments, IReadOnlyDictionary<string, string>? environment = null)
    {
        using var process = Process.Start(Describe(folder, arguments, environment))!;
        process.StandardInput.Close();
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(Limit);
        try
        {
            var (output, errors) = (process.StandardOutput.ReadToEndAsync(limit.Token), process.StandardError.ReadToEndAsync(limit.Token));
            await process.WaitForExitAsync(limit.Token);
            return (process.ExitCode, await output + await errors);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw;
        }
    }

    public static ProcessStartInfo Describe(
        string folder, IEnumerable<string> arguments, IReadOnlyDictionary<string, string>? environment = null)
    {
        var start = new ProcessStartInfo("dotnet", arguments)
        {
            WorkingDirectory = folder,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };

        // What the SDK that runs these tests tells its own children is not for a command of somebody at a terminal.
        foreach (var name in start.Environment.Keys.Where(name => name.StartsWith("MSBuild", StringComparison.OrdinalIgnoreCase)).ToArray())
        {
            start.Environment.Remove(name);
        }

        // Nothing that these commands start stays behind.
        start.Environment["MSBUILDDISABLENODEREUSE"] = "1";
        start.Environment["UseSharedCompilation"] = "false";
        start.Environment["DOTNET_NOLOGO"] = "1";
        foreach (var (name, value) in environment ?? new Dictionary<string, string>())
        {
            start.Environment[name] = value;
        }

        return start;
    }
}
