using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Geo.Analyzers;

/// <summary>Looks whether something has happened, which wait for nothing, and loops of nothing but them, which do.</summary>
internal static class Polls
{
    private const string Threads = "System.Threading";

    private static readonly HashSet<string> Idle = ["Thread.Yield", "Thread.SpinWait", "Thread.Sleep", "SpinWait.SpinOnce"];

    private static readonly HashSet<string> Types =
    [
        "Task", "ValueTask", "TaskAwaiter", "ValueTaskAwaiter", "ConfiguredTaskAwaiter", "ConfiguredValueTaskAwaiter",
        "ManualResetEventSlim", "CountdownEvent", "CancellationToken", "CancellationTokenSource",
    ];

    /// <summary>True for a call that is told to wait no time at all; Monitor.Wait waits for the lock even then.</summary>
    public static bool Is(IInvocationOperation call) => call.TargetMethod.ContainingType.Name != "Monitor" && call.Arguments.Any(
        argument => argument.Parameter?.Name is "millisecondsTimeout" or "timeout" && IsZero(argument.Value));

    /// <summary>The property, or call that is told not to wait, that a loop asks and does nothing else; null for other loops.</summary>
    public static IOperation? SpunOn(ILoopOperation loop) => loop switch
    {
        IWhileLoopOperation { Condition: { } condition } spin when DoesNothing(spin.Body) => LookedAt(condition),
        IForLoopOperation { Condition: { } condition, AtLoopBottom.IsEmpty: true } spin when DoesNothing(spin.Body) => LookedAt(condition),
        _ => null,
    };

    // Only a condition that is one look: another part of it may end the loop, or do the work.
    private static IOperation? LookedAt(IOperation condition) => condition switch
    {
        IUnaryOperation { OperatorKind: UnaryOperatorKind.Not, Operand: { } look } => Look(look),
        IBinaryOperation { OperatorKind: BinaryOperatorKind.Equals, LeftOperand: { } look } compared
            when Is(compared.RightOperand, false) => Look(look),
        IIsPatternOperation { Value: { } look, Pattern: IConstantPatternOperation constant } when Is(constant.Value, false) => Look(look),
        IBinaryOperation { LeftOperand: IInvocationOperation { TargetMethod: { Name: "WaitAny", ContainingType.Name: "Task" } } any }
            compared when (compared.OperatorKind is BinaryOperatorKind.LessThan && Is(compared.RightOperand, 0))
                || (compared.OperatorKind is BinaryOperatorKind.Equals && Is(compared.RightOperand, -1)) => Look(any),
        _ => null,
    };

    private static IOperation? Look(IOperation look) => look switch
    {
        IPropertyReferenceOperation { Property: { Name: var name, ContainingType: { } type } } when Types.Contains(type.Name)
            && type.ContainingNamespace.ToDisplayString() is Threads or $"{Threads}.Tasks" or "System.Runtime.CompilerServices"
            && name is "IsCompleted" or "IsCompletedSuccessfully" or "IsSet" or "IsCancellationRequested" => look,
        IInvocationOperation call when Is(call) => look,
        _ => null,
    };

    private static bool DoesNothing(IOperation body) => body switch
    {
        IEmptyOperation or IBranchOperation { BranchKind: BranchKind.Continue } => true,
        IBlockOperation block => block.Operations.All(DoesNothing),
        IExpressionStatementOperation { Operation: IInvocationOperation { TargetMethod: { } method } } =>
            Idle.Contains($"{method.ContainingType.Name}.{method.Name}"),
        _ => false,
    };

    private static bool Is(IOperation operand, object value) =>
        operand.ConstantValue is { HasValue: true } constant && value.Equals(constant.Value);

    private static bool IsZero(IOperation time) => Is(time, 0)
        || time is IFieldReferenceOperation { Field: { Name: "Zero", ContainingType.Name: "TimeSpan" } };
}
