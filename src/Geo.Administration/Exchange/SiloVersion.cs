using System.Reflection;

namespace Geo.Administration;

/// <summary>The build of Geo in this process.</summary>
internal static class SiloVersion
{
    private const int CommitLength = 12;

    /// <summary>
    /// The version of the package and, where it was built from a checkout, the beginning of its commit: two builds of one version are a mix
    /// too.
    /// </summary>
    public static string Current { get; } =
        typeof(IGeoStatus).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion is { } version
            ? version[..Math.Min(version.Length, version.IndexOf('+') is var plus and >= 0 ? plus + 1 + CommitLength : version.Length)]
            : "unknown";
}
