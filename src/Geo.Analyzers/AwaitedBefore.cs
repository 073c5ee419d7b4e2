using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace Geo.Analyzers;

/// <summary>
/// Whether a task has ended where it is asked: it is a variable, a statement before awaits it in the same block or in one around, and
/// nothing between can have put another task there.
/// </summary>
internal static class AwaitedBefore
{
    /// <summary>True where the task is known to have ended; false where it is not, or where that takes more than a look to say.</summary>
    /// <param name="task">What is waited for, or the awaiter of it.</param>
    public static bool Is(IOperation? task)
    {
        while (task is IInvocationOperation { TargetMethod.Name: "GetAwaiter" or "ConfigureAwait" } wrapped)
        {
            task = wrapped.Instance;
        }

        ISymbol? variable = task switch
        {
            ILocalReferenceOperation local => local.Local,
            IParameterReferenceOperation parameter => parameter.Parameter,
            _ => null,
        };
        return variable is not null && task is { Type.Name: "Task", SemanticModel: { } model } && task.Syntax.Ancestors()
            .TakeWhile(node => node is not (AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax))
            .OfType<StatementSyntax>().Any(statement => statement.Parent is BlockSyntax block
                && !block.Statements.Any(SyntaxKind.LabeledStatement)
                && block.Statements.TakeWhile(earlier => earlier != statement)
                    .Any(earlier => Awaits(earlier, variable, model) && Keeps(earlier, statement, variable, model)));
    }

    private static bool Awaits(StatementSyntax statement, ISymbol variable, SemanticModel model)
    {
        var value = statement switch
        {
            // x ??= await task awaits only where x is null.
            ExpressionStatementSyntax expression when expression.Expression.IsKind(SyntaxKind.CoalesceAssignmentExpression) => null,
            ExpressionStatementSyntax { Expression: AssignmentExpressionSyntax assignment } => assignment.Right,
            ExpressionStatementSyntax expression => expression.Expression,
            LocalDeclarationStatementSyntax { Declaration.Variables: { Count: 1 } declared } => declared[0].Initializer?.Value,
            _ => null,
        };
        var awaited = (value as AwaitExpressionSyntax)?.Expression;
        if (awaited is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax member }
            && member.Name.Identifier.Text == "ConfigureAwait")
        {
            awaited = member.Expression;
        }

        return awaited is InvocationExpressionSyntax call && IsWhenAll(model.GetSymbolInfo(call).Symbol)
            ? call.ArgumentList.Arguments.Any(argument => IsVariable(argument.Expression))
            : IsVariable(awaited);

        bool IsVariable(ExpressionSyntax? expression) =>
            expression is IdentifierNameSyntax && SymbolEqualityComparer.Default.Equals(model.GetSymbolInfo(expression).Symbol, variable);
    }

    private static bool IsWhenAll(ISymbol? method) => method is { Name: "WhenAll", ContainingType.Name: "Task" };

    // A function that has captured it may change it unseen.
    private static bool Keeps(StatementSyntax first, StatementSyntax last, ISymbol variable, SemanticModel model) =>
        model.AnalyzeDataFlow(first, last) is { Succeeded: true } flow
        && !flow.WrittenInside.Contains(variable, SymbolEqualityComparer.Default)
        && !flow.Captured.Contains(variable, SymbolEqualityComparer.Default);
}
