using System.Text.RegularExpressions;
using Geo.Packages.Tests.Kit;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Geo.Packages.Tests.Docs;

/// <summary>Compiles code against all packages, as the only file of a project that <c>dotnet new console</c> made.</summary>
public sealed partial class CompiledCode(PackedPackages packages)
{
    // What the SDK and, where it is referenced, Orleans import into every file.
    private const string Imports = """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Net.Http;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    private const string OrleansImports = """
        global using Orleans;
        global using Orleans.Hosting;
        global using Orleans.Runtime;
        """;

    private static readonly CSharpParseOptions Language = new(LanguageVersion.Latest);

    private readonly Lazy<Task<IReadOnlyList<MetadataReference>>> _references = new(() => BuildReferencesAsync(packages));

    internal static bool IsOfOrleans(string code) => OrleansUsing().IsMatch(code);

    /// <summary>What the compiler refuses; empty when it takes the code.</summary>
    internal async Task<IReadOnlyList<string>> ErrorsOfAsync(string code)
    {
        var tree = CSharpSyntaxTree.ParseText(code, Language);
        var isProgram = (await tree.GetRootAsync()).DescendantNodes().OfType<GlobalStatementSyntax>().Any();
        var imports = CSharpSyntaxTree.ParseText(IsOfOrleans(code) ? $"{Imports}\n{OrleansImports}" : Imports, Language);
        var kind = isProgram ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary;
        var options = new CSharpCompilationOptions(kind, nullableContextOptions: NullableContextOptions.Enable);
        var compilation = CSharpCompilation.Create("Page", [tree, imports], await _references.Value, options);
        var errors = compilation.GetDiagnostics().Where(found => found.Severity == DiagnosticSeverity.Error);
        return [.. errors.Select(found => found.ToString())];
    }

    private static async Task<IReadOnlyList<MetadataReference>> BuildReferencesAsync(PackedPackages packages)
    {
        var folder = packages.NewFolder();
        await File.WriteAllTextAsync(Path.Combine(folder, "All.csproj"), $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net10.0</TargetFramework>
              </PropertyGroup>
              <ItemGroup>
                {string.Concat(Repository.Libraries.Select(library => $"<PackageReference Include=\"{library}\" Version=\"*\" />"))}
              </ItemGroup>
            </Project>
            """);
        await File.WriteAllTextAsync(Path.Combine(folder, "Program.cs"), "return;");
        await DotNet.RunAsync(folder, ["build", "-o", "out"], packages.Environment);

        var platform = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator);
        return
        [
            .. System.IO.Directory.GetFiles(Path.Combine(folder, "out"), "*.dll").Concat(platform).DistinctBy(Path.GetFileName)
                .Where(IsManaged).Select(file => MetadataReference.CreateFromFile(file)),
        ];
    }

    [GeneratedRegex(@"^using (Geo\.)?Orleans", RegexOptions.Multiline)]
    private static partial Regex OrleansUsing();

    private static bool IsManaged(string file)
    {
        using var stream = File.OpenRead(file);
        using var image = new System.Reflection.PortableExecutable.PEReader(stream);
        return image.HasMetadata;
    }
}
