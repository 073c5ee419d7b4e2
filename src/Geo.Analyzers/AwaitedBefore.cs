using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace Geo.Analyzers;

/// <summary>
/// Whether a task has ended where it is asked: it is a variable, a statement before awaits it in the same block or in one around, and
/// nothing between can have put another task there; or it is the one that ContinueWith hands on. Likewise for each task of a collection
/// that is awaited as a whole.
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

        if (task is not { Type.Name: "Task", SemanticModel: { } model })
        {
            return false;
        }

        return VariableOf(task) is { } variable
            ? IsContinued(variable, model) || IsAwaited(variable, task.Syntax, model)
                || (CollectionOf(variable, model) is var (all, use) && IsAwaited(all, use, model))
            : CollectionOf(task) is { } collection && IsAwaited(collection, task.Syntax, model);
    }

    private static ISymbol? VariableOf(IOperation? operation) => operation switch
    {
        ILocalReferenceOperation local => local.Local,
        IParameterReferenceOperation parameter => parameter.Parameter,
        _ => null,
    };

    private static bool IsAwaited(ISymbol variable, SyntaxNode use, SemanticModel model) => use.AncestorsAndSelf()
        .TakeWhile(node => node is not (AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax))
        .OfType<StatementSyntax>().Any(statement => Around(statement) is var list
            && !list.Any(SyntaxKind.LabeledStatement)
            && list.TakeWhile(earlier => earlier != statement)
                .Any(earlier => Awaits(earlier, variable, model) && Keeps(earlier, statement, variable, model)));

    // The collection of which an element is asked for.
    private static ISymbol? CollectionOf(IOperation element) => (element switch
    {
        IArrayElementReferenceOperation { ArrayReference: var array } => VariableOf(array),
        IPropertyReferenceOperation { Property.IsIndexer: true, Instance: var list } => VariableOf(list),
        _ => null,
    }) is { } variable && Holds(variable) ? variable : null;

    // The collection of which a variable goes through the elements, in a loop or as a parameter of what is called on it.
    private static (ISymbol All, SyntaxNode Use)? CollectionOf(ISymbol element, SemanticModel model)
    {
        var declared = element is ILocalSymbol ? element.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax() : null;
        var call = element is IParameterSymbol { Ordinal: 0 } && FunctionOf(element)?.Parent is ArgumentSyntax argument
            ? argument.Parent?.Parent as InvocationExpressionSyntax
            : null;
        var source = declared is ForEachStatementSyntax loop
            ? loop.Expression
            : (call?.Expression as MemberAccessExpressionSyntax)?.Expression;
        return source is not null && model.GetSymbolInfo(Bare(source)!).Symbol is { } all && Holds(all) ? (all, declared ?? call!) : null;
    }

    // A query would begin new tasks where it is gone through once more.
    private static bool Holds(ISymbol collection)
    {
        var type = collection switch
        {
            ILocalSymbol local => local.Type,
            IParameterSymbol parameter => parameter.Type,
            _ => null,
        };
        return type is IArrayTypeSymbol
            || type?.Name is "List" or "IList" or "ICollection" or "IReadOnlyList" or "IReadOnlyCollection" or "ImmutableArray"
                or "HashSet";
    }

    private static AnonymousFunctionExpressionSyntax? FunctionOf(ISymbol parameter) =>
        parameter.ContainingSymbol is IMethodSymbol { MethodKind: MethodKind.AnonymousFunction } function
            ? function.DeclaringSyntaxReferences.Single().GetSyntax() as AnonymousFunctionExpressionSyntax
            : null;

    // What begins when a task has ended has it as its first parameter, unless it puts another one there.
    private static bool IsContinued(ISymbol variable, SemanticModel model) =>
        variable is IParameterSymbol { Ordinal: 0 } && FunctionOf(variable) is { } written
        && written.Parent is ArgumentSyntax { Parent.Parent: InvocationExpressionSyntax call }
        && model.GetSymbolInfo(call).Symbol is { Name: "ContinueWith", ContainingType.Name: "Task" }
        && model.AnalyzeDataFlow(written.Body) is { Succeeded: true } flow
        && !flow.WrittenInside.Contains(variable, SymbolEqualityComparer.Default);

    // Statements that are begun with the first of them; into a section of a switch, too, goto case leads to the first.
    private static SyntaxList<StatementSyntax> Around(StatementSyntax statement) => statement.Parent switch
    {
        BlockSyntax block => block.Statements,
        SwitchSectionSyntax section => section.Statements,
        _ => default,
    };

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
        var awaited = Bare((Bare(value) as AwaitExpressionSyntax)?.Expression);
        while (awaited is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax member }
            && member.Name.Identifier.Text is "ConfigureAwait" or "WaitAsync")
        {
            awaited = Bare(member.Expression);
        }

        return awaited is InvocationExpressionSyntax call && IsWhenAll(model.GetSymbolInfo(call).Symbol)
            ? call.ArgumentList.Arguments.SelectMany(argument => Elements(argument.Expression)).Any(IsVariable)
            : IsVariable(awaited);

        bool IsVariable(ExpressionSyntax? expression) => Bare(expression) is IdentifierNameSyntax name
            && SymbolEqualityComparer.Default.Equals(model.GetSymbolInfo(name).Symbol, variable);
    }

    private static ExpressionSyntax? Bare(ExpressionSyntax? expression)
    {
        while (expression is ParenthesizedExpressionSyntax inner)
        {
            expression = inner.Expression;
        }

        return expression;
    }

    // Tasks that are handed over one by one, or as a collection that is written there.
    private static IEnumerable<ExpressionSyntax> Elements(ExpressionSyntax argument) => Bare(argument) switch
    {
        CollectionExpressionSyntax collection =>
            collection.Elements.OfType<ExpressionElementSyntax>().Select(element => element.Expression),
        ArrayCreationExpressionSyntax { Initializer: { } elements } => elements.Expressions,
        ImplicitArrayCreationExpressionSyntax array => array.Initializer.Expressions,
        _ => [argument],
    };

    private static bool IsWhenAll(ISymbol? method) => method is { Name: "WhenAll", ContainingType.Name: "Task" };

    // A function that has captured it may change it unseen.
    private static bool Keeps(StatementSyntax first, StatementSyntax last, ISymbol variable, SemanticModel model) =>
        model.AnalyzeDataFlow(first, last) is { Succeeded: true } flow
        && !flow.WrittenInside.Contains(variable, SymbolEqualityComparer.Default)
        && !flow.Captured.Contains(variable, SymbolEqualityComparer.Default);
}
