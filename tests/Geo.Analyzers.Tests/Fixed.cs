using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace Geo.Analyzers.Tests;

/// <summary>Source as an editor leaves it that is asked to fix the first diagnostic in it.</summary>
internal static class Fixed
{
    /// <summary>What is offered, by title, with what would become of the source.</summary>
    public static async Task<Dictionary<string, string>> OfferedAsync(CodeFixProvider provider, string source)
    {
        var cancelled = TestContext.Current.CancellationToken;
        using var workspace = new AdhocWorkspace();
        var document = workspace.AddProject("Grains", LanguageNames.CSharp)
            .WithCompilationOptions(new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary))
            .AddMetadataReferences(Compiled.References)
            .AddDocument("Grains.cs", SourceText.From(source));
        var told = (await Compiled.DiagnosticsAsync((await document.Project.GetCompilationAsync(cancelled))!))
            .First(one => provider.FixableDiagnosticIds.Contains(one.Id));
        List<CodeAction> actions = [];
        await provider.RegisterCodeFixesAsync(new CodeFixContext(document, told, (action, _) => actions.Add(action), cancelled));

        Dictionary<string, string> offered = [];
        foreach (var action in actions)
        {
            var change = (await action.GetOperationsAsync(cancelled)).OfType<ApplyChangesOperation>().Single();
            offered.Add(action.Title, (await change.ChangedSolution.GetDocument(document.Id)!.GetTextAsync(cancelled)).ToString());
        }

        return offered;
    }
}
