namespace Geo.Experiments.Processes;

/// <summary>The program of the peers that are silos. It is built beside this one where Microsoft Orleans can be had.</summary>
internal static class OrleansPeer
{
    private const string Name = "Geo.Experiments.Orleans";

    /// <summary>Its assembly, or null where there is none.</summary>
    public static string? Assembly { get; } = Find(AppContext.BaseDirectory);

    /// <summary>Why there is none.</summary>
    public const string Absence =
        "Orleans is left out: the package sources did not serve it when benchmarks/Geo.Experiments.Orleans was built";

    // It lies as it is built, and so does what starts it, an experiment or a test: <folder>/<project>/bin/<configuration>/<framework>. A
    // project without Orleans builds to a library.
    private static string? Find(string own)
    {
        var output = Path.TrimEndingDirectorySeparator(own);
        var (framework, configuration) = (Path.GetFileName(output), Path.GetFileName(Path.GetDirectoryName(output)));
        var folder = Path.GetFullPath(Path.Combine(
            output, "..", "..", "..", "..", "..", "benchmarks", Name, "bin", configuration ?? "", framework));
        return File.Exists(Path.Combine(folder, $"{Name}.runtimeconfig.json")) ? Path.Combine(folder, $"{Name}.dll") : null;
    }
}
