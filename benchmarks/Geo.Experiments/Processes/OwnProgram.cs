using System.Diagnostics;

namespace Geo.Experiments.Processes;

/// <summary>
/// This program once more, as another process: whatever started it, a published executable or the dotnet command, starts it again.
/// </summary>
internal static class OwnProgram
{
    public static ProcessStartInfo With(params string[] arguments) =>
        IsDotNet(Environment.ProcessPath!)
            ? DotNet(typeof(OwnProgram).Assembly.Location, arguments)
            : new ProcessStartInfo(Environment.ProcessPath!, arguments);

    public static ProcessStartInfo DotNet(string assembly, params string[] arguments) =>
        new(IsDotNet(Environment.ProcessPath!) ? Environment.ProcessPath! : "dotnet", [assembly, .. arguments]);

    private static bool IsDotNet(string program) =>
        string.Equals(Path.GetFileNameWithoutExtension(program), "dotnet", StringComparison.OrdinalIgnoreCase);
}
