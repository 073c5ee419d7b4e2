using System.Reflection;

namespace TpcwMini.Report;

/// <summary>What was built, for the report.</summary>
internal static class ProgramVersion
{
    /// <summary>The version, and the commit behind a plus sign where the build knew it.</summary>
    public static string Text { get; } =
        typeof(ProgramVersion).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion;
}
