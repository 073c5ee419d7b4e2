using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Geo.Analyzers;

/// <summary>What can be awaited in place of an expression that blocks.</summary>
internal static class Awaitables
{
    /// <summary>What means the same, awaited; null where nothing does.</summary>
    /// <param name="blocking">The expression.</param>
    /// <param name="member">The member in it that blocks, as the diagnostic names it.</param>
    public static ExpressionSyntax? Of(ExpressionSyntax blocking, string? member) => (blocking, member) switch
    {
        (MemberAccessExpressionSyntax result, "Task.Result" or "ValueTask.Result") => result.Expression,
        (InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax called } call, _) => Of(call, called, member),
        _ => null,
    };

    private static ExpressionSyntax? Of(
        InvocationExpressionSyntax call, MemberAccessExpressionSyntax called, string? member) => member switch
        {
            "Task.Wait/0" => called.Expression,
            "Task.WaitAll/1" => Named(call, "Task", "WhenAll"),
            "Thread.Sleep/1" => Named(call, "Task", "Delay"),
            not null when member.StartsWith("SemaphoreSlim.Wait/", StringComparison.Ordinal) =>
                call.WithExpression(called.WithName(SyntaxFactory.IdentifierName("WaitAsync"))),
            not null when member.EndsWith("Awaiter.GetResult/0", StringComparison.Ordinal) => AwaiterOf(called.Expression),
            _ => null,
        };

    private static InvocationExpressionSyntax Named(InvocationExpressionSyntax call, string type, string method) =>
        call.WithExpression(SyntaxFactory.MemberAccessExpression(
            SyntaxKind.SimpleMemberAccessExpression, SyntaxFactory.IdentifierName(type), SyntaxFactory.IdentifierName(method)));

    private static ExpressionSyntax? AwaiterOf(ExpressionSyntax awaiter) =>
        awaiter is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Name.Identifier.Text: "GetAwaiter" } got }
            ? got.Expression
            : null;
}
