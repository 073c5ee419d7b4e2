using System.Diagnostics;

namespace TpcwMini.Processes;

/// <summary>Finds how to start this program once more, whatever started it: its own executable, <c>dotnet run</c>, <c>dotnet x.dll</c> or a test.</summary>
internal static class Executable
{
    public static ProcessStartInfo StartInfo(string role)
    {
        var assembly = typeof(Executable).Assembly.Location;
        var own = Path.Combine(Path.GetDirectoryName(assembly)!, Path.GetFileNameWithoutExtension(assembly) + (OperatingSystem.IsWindows() ? ".exe" : ""));
        var start = new ProcessStartInfo
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        if (string.Equals(Environment.ProcessPath, own, StringComparison.Ordinal))
        {
            start.FileName = own;
        }
        else
        {
            start.FileName = IsDotnet(Environment.ProcessPath) ? Environment.ProcessPath!
                : Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") is { Length: > 0 } host ? host
                : "dotnet";
            start.ArgumentList.Add(assembly);
        }

        start.ArgumentList.Add(role);
        return start;
    }

    private static bool IsDotnet(string? path) =>
        string.Equals(Path.GetFileNameWithoutExtension(path), "dotnet", StringComparison.OrdinalIgnoreCase);
}
