using Geo.Packages.Tests.Kit;

[assembly: AssemblyFixture(typeof(PackedPackages))]

namespace Geo.Packages.Tests.Kit;

/// <summary>
/// All packages, packed once from what is built, and an empty folder outside the repository in which the SDK finds them beside the sources
/// of this machine. Packages of Geo are unpacked into the folder, so that those of another build are never taken for them.
/// </summary>
public sealed class PackedPackages : IAsyncLifetime
{
    private readonly DirectoryInfo _folder = System.IO.Directory.CreateTempSubdirectory("geo-packages-");
    private int _folders;

    /// <summary>Where the packages are.</summary>
    public string Packages => Path.Combine(_folder.FullName, "packages");

    /// <summary>What a command in one of the folders needs in its environment.</summary>
    internal IReadOnlyDictionary<string, string> Environment => new Dictionary<string, string>
    {
        ["NUGET_PACKAGES"] = Path.Combine(_folder.FullName, "unpacked"),
    };

    public async ValueTask InitializeAsync()
    {
        string[] leftOut = Repository.HasOrleans ? [] : ["-p:LeaveOutOrleans=true"];
        await DotNet.RunAsync(
            Repository.Root, ["pack", "Geo.sln", "--no-build", "-c", Repository.Configuration, "-o", Packages, "-v", "quiet", .. leftOut]);
        await File.WriteAllTextAsync(Path.Combine(_folder.FullName, "nuget.config"), $"""
            <configuration>
              <packageSources>
                <add key="geo" value="{Packages}" />
              </packageSources>
              <fallbackPackageFolders>
                <add key="machine" value="{MachinePackages()}" />
              </fallbackPackageFolders>
            </configuration>
            """);
    }

    /// <summary>An empty folder.</summary>
    public string NewFolder() => _folder.CreateSubdirectory($"folder-{Interlocked.Increment(ref _folders)}").FullName;

    public ValueTask DisposeAsync()
    {
        _folder.Delete(recursive: true);
        return ValueTask.CompletedTask;
    }

    private static string MachinePackages()
    {
        var packages = System.Environment.GetEnvironmentVariable("NUGET_PACKAGES") is { Length: > 0 } chosen
            ? chosen
            : Path.Combine(System.Environment.GetFolderPath(System.Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        System.IO.Directory.CreateDirectory(packages);
        return packages;
    }
}
