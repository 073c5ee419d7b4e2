using System.Diagnostics;
using System.Reflection;

namespace Geo.Processes;

/// <summary>
/// Finds how to start a program, most often the running one once more, whatever started it: its own executable, <c>dotnet run</c>,
/// <c>dotnet x.dll</c> or a test.
/// </summary>
public static class ProgramStart
{
    /// <summary>How to start the program of an assembly.</summary>
    public static ProcessStartInfo Of(Assembly program, params string[] arguments)
    {
        ArgumentNullException.ThrowIfNull(program);
        var assembly = program.Location;
        var own = Path.Combine(
            Path.GetDirectoryName(assembly)!, Path.GetFileNameWithoutExtension(assembly) + (OperatingSystem.IsWindows() ? ".exe" : ""));
        return string.Equals(Environment.ProcessPath, own, StringComparison.Ordinal)
            ? new ProcessStartInfo(own, arguments)
            : Dotnet(assembly, arguments);
    }

    /// <summary>How to start the program in a file.</summary>
    public static ProcessStartInfo Dotnet(string assembly, params string[] arguments) =>
        new(IsDotnet(Environment.ProcessPath) ? Environment.ProcessPath!
            : Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") is { Length: > 0 } host ? host
            : "dotnet", [assembly, .. arguments]);

    private static bool IsDotnet(string? path) =>
        string.Equals(Path.GetFileNameWithoutExtension(path), "dotnet", StringComparison.OrdinalIgnoreCase);
}
