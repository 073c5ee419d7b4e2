using System.Collections.Immutable;
using System.Reflection;
using Geo.Embedded;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Geo.Analyzers.Tests;

/// <summary>Source that is compiled with the analyzers, against Geo.Embedded.</summary>
internal static class Compiled
{
    /// <summary>What stands before the classes of each test.</summary>
    public const string Prelude = """
        using System.Linq;
        using System.Threading;
        using System.Threading.Tasks;
        using Geo;
        using Geo.Embedded;
        public sealed class Count { public int Sum { get; set; } public void Apply(Added added) => Sum += added.By; }
        public sealed record Added(int By);
        public interface ICount : IGrainWithStringKey { Task<int> Add(int by); }

        """;

    private static readonly ImmutableArray<DiagnosticAnalyzer> Analyzers = [new DeclarationAnalyzer(), new BlockingAnalyzer()];

    public static readonly MetadataReference[] References =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Append(typeof(Grain).Assembly.Location).Append(typeof(GrainDeclaration).Assembly.Location).Distinct()
            .Select(path => MetadataReference.CreateFromFile(path)),
    ];

    /// <summary>A replicated grain class with an asynchronous method that has a statement.</summary>
    public static string Replicated(string statement) => $$"""
        [OneInstancePerCluster, BatchedCas]
        public sealed class Counter : JournaledGrain<Count, Added>, ICount
        {
            public async Task<int> Add(int by)
            {
                {{statement}}
                await Task.CompletedTask;
                return by;
            }
        }
        """;

    /// <summary>What the analyzers tell of classes, as <c>GEO001: text</c>.</summary>
    public static async Task<string[]> TellsAsync(string classes)
    {
        var told = await DiagnosticsAsync(Compilation(classes));
        return [.. told.Select(diagnostic => $"{diagnostic.Id}: {diagnostic.GetMessage()}").Order(StringComparer.Ordinal)];
    }

    /// <summary>What the analyzers tell of a compilation.</summary>
    public static Task<ImmutableArray<Diagnostic>> DiagnosticsAsync(Compilation compilation) =>
        compilation.WithAnalyzers(Analyzers).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);

    /// <summary>What a silo that starts with a class says; null when it is content.</summary>
    public static string? Refused(string classes, string name, bool isJournaled)
    {
        using var image = new MemoryStream();
        Assert.True(Compilation(classes).Emit(image).Success);
        var type = Assembly.Load(image.ToArray()).GetType(name)!;
        try
        {
            GrainDeclaration.Of(type, isJournaled);
            return null;
        }
        catch (GeoConfigurationException e)
        {
            return e.Message;
        }
    }

    private static CSharpCompilation Compilation(string classes)
    {
        var compilation = CSharpCompilation.Create(
            $"classes-{Guid.NewGuid():N}", [CSharpSyntaxTree.ParseText(Prelude + classes)], References,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary));
        Assert.Empty(compilation.GetDiagnostics().Where(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error));
        return compilation;
    }
}
