using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Geo.Analyzers;

/// <summary>
/// Offers to await where a replicated grain blocks, in methods that are async already: to make one so changes what its callers get.
/// </summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(BlockingFixes))]
[Shared]
public sealed class BlockingFixes : CodeFixProvider
{
    private const string Title = "Await instead";

    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = [Diagnostics.Blocking.Id];

    /// <inheritdoc/>
    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        var root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        if (root?.FindNode(context.Span, getInnermostNodeForTie: true) is not ExpressionSyntax blocking
            || !MayAwait(blocking) || Awaitables.Of(blocking, Member(context)) is not { } awaitable)
        {
            return;
        }

        ExpressionSyntax awaited = SyntaxFactory.AwaitExpression(
            SyntaxFactory.Token(SyntaxFactory.TriviaList(), SyntaxKind.AwaitKeyword, SyntaxFactory.TriviaList(SyntaxFactory.Space)),
            awaitable.WithoutTrivia());
        if (blocking.Parent is not (
            ExpressionStatementSyntax or EqualsValueClauseSyntax or ArgumentSyntax or ReturnStatementSyntax or LambdaExpressionSyntax
            or ArrowExpressionClauseSyntax))
        {
            awaited = SyntaxFactory.ParenthesizedExpression(awaited);
        }

        context.RegisterCodeFix(
            CodeAction.Create(
                Title,
                _ => Task.FromResult(context.Document.WithSyntaxRoot(root.ReplaceNode(blocking, awaited.WithTriviaFrom(blocking)))),
                equivalenceKey: Title),
            context.Diagnostics);
    }

    private static string? Member(CodeFixContext context) =>
        context.Diagnostics[0].Properties.TryGetValue(Diagnostics.Member, out var member) ? member : null;

    private static bool MayAwait(SyntaxNode node)
    {
        foreach (var outer in node.Ancestors())
        {
            switch (outer)
            {
                case LockStatementSyntax or QueryExpressionSyntax:
                    return false;
                case AnonymousFunctionExpressionSyntax function:
                    return function.AsyncKeyword.IsKind(SyntaxKind.AsyncKeyword);
                case LocalFunctionStatementSyntax function:
                    return function.Modifiers.Any(SyntaxKind.AsyncKeyword);
                case MemberDeclarationSyntax member:
                    return member.Modifiers.Any(SyntaxKind.AsyncKeyword);
            }
        }

        return false;
    }
}
