using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Geo.Analyzers;

/// <summary>Offers to remove one of the attributes that contradict each other, and to add the one that a class lacks.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(DeclarationFixes))]
[Shared]
public sealed class DeclarationFixes : CodeFixProvider
{
    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = [Diagnostics.Contradiction.Id, Diagnostics.NoProtocol.Id];

    /// <inheritdoc/>
    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        var root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        if (root?.FindNode(context.Span) is not ClassDeclarationSyntax type)
        {
            return;
        }

        foreach (var diagnostic in context.Diagnostics)
        {
            // One of a base class, or of another part, is not this declaration's to remove.
            foreach (var name in Named(diagnostic, Diagnostics.Removable).Where(name => AttributeEdits.Find(type, name) is not null))
            {
                Register(context, diagnostic, $"Remove [{name}]", () => root.ReplaceNode(type, AttributeEdits.Without(type, name)));
            }

            foreach (var name in Named(diagnostic, Diagnostics.Addable))
            {
                var model = await context.Document.GetSemanticModelAsync(context.CancellationToken).ConfigureAwait(false);
                var isKnown = model?.LookupNamespacesAndTypes(type.SpanStart, name: $"{name}Attribute").IsEmpty == false;
                Register(
                    context, diagnostic, $"Add [{name}]",
                    () => root.ReplaceNode(type, AttributeEdits.With(type, isKnown ? name : $"Geo.{name}")));
            }
        }
    }

    private static string[] Named(Diagnostic diagnostic, string property) =>
        diagnostic.Properties.TryGetValue(property, out var names) && names is { Length: > 0 } ? names.Split(' ') : [];

    private static void Register(CodeFixContext context, Diagnostic diagnostic, string title, Func<SyntaxNode> change) =>
        context.RegisterCodeFix(
            CodeAction.Create(title, _ => Task.FromResult(context.Document.WithSyntaxRoot(change())), equivalenceKey: title), diagnostic);
}
