using System.Reflection;

namespace Geo.Packages.Tests.Kit;

/// <summary>The checkout that these tests were built from.</summary>
internal static class Repository
{
    /// <summary>Part of the packages of both hosts, and none of its own.</summary>
    public const string Analyzers = "Geo.Analyzers";

    /// <summary>What an editor offers against what the analyzers tell; in the same packages.</summary>
    public const string CodeFixes = "Geo.Analyzers.CodeFixes";

    public static string Root { get; } = Metadata("Repository");

    public static string Configuration { get; } = Metadata("Configuration");

    /// <summary>The tool's package: no library, nothing is compiled against it.</summary>
    public const string Tool = "Geo.Tool";

    /// <summary>The libraries that become packages, by name.</summary>
    public static IReadOnlyList<string> Libraries { get; } =
    [
        .. System.IO.Directory.GetDirectories(Path.Combine(Root, "src")).Select(folder => Path.GetFileName(folder)!)
            .Where(name => name is not (Analyzers or CodeFixes or Tool))
            .Where(IsServed)
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>False where the package sources do not serve Orleans: Geo.Orleans is built to nothing then.</summary>
    public static bool HasOrleans => File.Exists(Assembly("Geo.Orleans"));

    /// <summary>Whether a package can be made here.</summary>
    public static bool IsServed(string package) => HasOrleans || !package.StartsWith("Geo.Orleans", StringComparison.Ordinal);

    public static string Assembly(string library) =>
        Path.Combine(Root, "src", library, "bin", Configuration, "net10.0", $"{library}.dll");

    /// <summary>The C# files of a folder of the checkout, but for what the build makes.</summary>
    public static IEnumerable<string> SourcesIn(string folder) =>
        System.IO.Directory.GetFiles(Path.Combine(Root, folder), "*.cs", SearchOption.AllDirectories)
            .Where(file => !file.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}", StringComparison.Ordinal));

    private static string Metadata(string key) => typeof(Repository).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .Single(attribute => attribute.Key == key).Value!;
}
