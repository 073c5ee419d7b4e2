using System.Diagnostics;

namespace TpcwMini.Processes;

/// <summary>
/// Finds how to start this program once more, whatever started it: its own executable, <c>dotnet run</c>, <c>dotnet x.dll</c> or a test.
/// </summary>
internal static class Executable
{
    public static ProcessStartInfo StartInfo(string role)
    {
        var assembly = typeof(Executable).Assembly.Location;
        var own = Path.Combine(
            Path.GetDirectoryName(assembly)!, Path.GetFileNameWithoutExtension(assembly) + (OperatingSystem.IsWindows() ? ".exe" : ""));
        var start = string.Equals(Environment.ProcessPath, own, StringComparison.Ordinal) ? new ProcessStartInfo(own) : Dotnet(assembly);
        start.UseShellExecute = false;
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        start.ArgumentList.Add(role);
        return start;
    }

    /// <summary>How to start an assembly.</summary>
    public static ProcessStartInfo Dotnet(string assembly) =>
        new(IsDotnet(Environment.ProcessPath) ? Environment.ProcessPath!
            : Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") is { Length: > 0 } host ? host
            : "dotnet")
        {
            UseShellExecute = false,
            ArgumentList = { assembly },
        };

    private static bool IsDotnet(string? path) =>
        string.Equals(Path.GetFileNameWithoutExtension(path), "dotnet", StringComparison.OrdinalIgnoreCase);
}
