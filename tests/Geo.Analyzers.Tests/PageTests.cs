using Microsoft.CodeAnalysis.Diagnostics;

namespace Geo.Analyzers.Tests;

public sealed class PageTests
{
    [Fact]
    public void The_page_names_every_diagnostic_and_no_other()
    {
        var told = File.ReadLines(Path.Combine(Root(), "docs", "diagnostics.md"))
            .Where(line => line.StartsWith("| GEO", StringComparison.Ordinal));
        var made = ((DiagnosticAnalyzer[])[new DeclarationAnalyzer(), new BlockingAnalyzer()])
            .SelectMany(analyzer => analyzer.SupportedDiagnostics)
            .Select(one => $"| {one.Id} | {one.DefaultSeverity.ToString().ToLowerInvariant()} | {one.Title} |");

        Assert.Equal(made.Order(StringComparer.Ordinal), told);
    }

    private static string Root()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "Geo.sln")))
        {
            folder = Path.GetDirectoryName(folder)!;
        }

        return folder;
    }
}
