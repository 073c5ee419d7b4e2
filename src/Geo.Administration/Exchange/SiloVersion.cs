using System.Reflection;

namespace Geo.Administration;

/// <summary>The version of Geo in this process.</summary>
internal static class SiloVersion
{
    /// <summary>As the package says it, without the commit.</summary>
    public static string Current { get; } =
        typeof(IGeoStatus).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0]
        ?? "unknown";
}
