using System.IO.Compression;
using System.Xml.Linq;
using Geo.Packages.Tests.Docs;
using Geo.Packages.Tests.Kit;

namespace Geo.Packages.Tests.Packages;

public sealed class PackageContentTests(PackedPackages packages)
{
    public static TheoryData<string> Libraries => [.. Repository.Libraries];

    [Fact]
    public void Every_library_is_packed_and_nothing_else()
    {
        var packed = System.IO.Directory.GetFiles(packages.Packages, "*.nupkg").Select(file => Metadata(file, "id"));
        Assert.Equal(Repository.Libraries.Append(Repository.Tool).Order(StringComparer.Ordinal), packed.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void The_readme_has_a_line_for_every_package_and_for_nothing_else()
    {
        var named = Page.Lines("README.md").Where(line => line.StartsWith("| `Geo.", StringComparison.Ordinal))
            .Select(line => line.Split('`')[1]).Where(Repository.IsServed);

        Assert.Equal(Repository.Libraries.Append(Repository.Tool).Order(StringComparer.Ordinal), named.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task The_tool_installs_from_its_package_and_runs()
    {
        var folder = packages.NewFolder();
        await DotNet.RunAsync(folder, ["tool", "install", Repository.Tool, "--tool-path", "tools"], packages.Environment);
        var geo = System.IO.Directory.GetFiles(folder, "geo.dll", SearchOption.AllDirectories).Single();

        var help = await DotNet.RunAsync(folder, ["exec", geo, "--help"], packages.Environment);
        var (code, told) = await DotNet.TryAsync(folder, ["exec", geo, "status", "--url", "nonsense"], packages.Environment);

        Assert.Contains("doctor", help);
        Assert.Equal(1, code);
        Assert.Contains("geo: 'nonsense' is no address of an endpoint", told);
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public void A_package_says_what_it_is_and_brings_its_symbols(string library)
    {
        var file = System.IO.Directory.GetFiles(packages.Packages, $"{library}.?.*.nupkg").Single();

        using var package = ZipFile.OpenRead(file);
        var parts = package.Entries.Select(entry => entry.FullName).ToHashSet();
        Assert.Equal("README.md", Metadata(file, "readme"));
        Assert.Equal("icon.png", Metadata(file, "icon"));
        Assert.Equal("MIT", Metadata(file, "license"));
        Assert.Contains("geo-distribution", Metadata(file, "tags"));
        Assert.Superset(new HashSet<string> { "README.md", "icon.png", $"lib/net10.0/{library}.dll", $"lib/net10.0/{library}.xml" }, parts);
        using var symbols = ZipFile.OpenRead(Path.ChangeExtension(file, ".snupkg"));
        Assert.Contains($"lib/net10.0/{library}.pdb", symbols.Entries.Select(entry => entry.FullName));
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public void The_packages_of_the_hosts_bring_the_analyzers_and_no_other_does(string library)
    {
        var file = System.IO.Directory.GetFiles(packages.Packages, $"{library}.?.*.nupkg").Single();

        using var package = ZipFile.OpenRead(file);
        var analyzers = package.Entries.Where(entry => entry.FullName.StartsWith("analyzers/", StringComparison.Ordinal))
            .Select(entry => entry.FullName);
        string[] expected = library is "Geo.Embedded" or "Geo.Orleans"
            ? [$"analyzers/dotnet/cs/{Repository.CodeFixes}.dll", $"analyzers/dotnet/cs/{Repository.Analyzers}.dll"]
            : [];
        Assert.Equal(expected, analyzers.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Packing_where_Orleans_is_not_served_is_refused_unless_it_is_left_out_on_purpose()
    {
        string[] pack = ["msbuild", "src/Geo.Orleans", "-t:Pack", "-p:NoBuild=true", "-p:OrleansAvailable=false"];

        var (refused, told) = await DotNet.TryAsync(Repository.Root, pack);
        var (leftOut, _) = await DotNet.TryAsync(Repository.Root, [.. pack, "-p:LeaveOutOrleans=true"]);

        Assert.NotEqual(0, refused);
        Assert.Contains("-p:LeaveOutOrleans=true", told);
        Assert.Equal(0, leftOut);
    }

    private static string Metadata(string file, string element)
    {
        using var package = ZipFile.OpenRead(file);
        using var nuspec = package.Entries.Single(entry => entry.FullName.EndsWith(".nuspec", StringComparison.Ordinal)).Open();
        return XDocument.Load(nuspec).Descendants().First(node => node.Name.LocalName == element).Value;
    }
}
