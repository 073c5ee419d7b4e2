using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Geo.Analyzers;

/// <summary>Tells of calls that block the thread of a grain to which updates of other clusters come.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class BlockingAnalyzer : DiagnosticAnalyzer
{
    private const string Threads = "System.Threading";
    private const string Tasks = "System.Threading.Tasks";
    private const string Awaiters = "System.Runtime.CompilerServices";

    private static readonly HashSet<string> Methods =
    [
        $"{Tasks}.Task.Wait", $"{Tasks}.Task.WaitAll", $"{Tasks}.Task.WaitAny",
        $"{Awaiters}.TaskAwaiter.GetResult", $"{Awaiters}.ConfiguredTaskAwaiter.GetResult",
        $"{Awaiters}.ValueTaskAwaiter.GetResult", $"{Awaiters}.ConfiguredValueTaskAwaiter.GetResult",
        $"{Threads}.Thread.Sleep", $"{Threads}.Thread.Join", $"{Threads}.Monitor.Wait",
        $"{Threads}.SemaphoreSlim.Wait", $"{Threads}.ManualResetEventSlim.Wait", $"{Threads}.CountdownEvent.Wait",
        $"{Threads}.WaitHandle.WaitOne", $"{Threads}.WaitHandle.WaitAll", $"{Threads}.WaitHandle.WaitAny",
        $"{Threads}.SpinWait.SpinUntil",
    ];

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Diagnostics.Blocking];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSymbolStartAction(
            start =>
            {
                if (start.Symbol is INamedTypeSymbol { TypeKind: TypeKind.Class } type && new GrainClass(type).IsReplicated)
                {
                    start.RegisterOperationAction(AnalyzeCall, OperationKind.Invocation, OperationKind.MethodReference);
                    start.RegisterOperationAction(AnalyzeResult, OperationKind.PropertyReference);
                    start.RegisterOperationAction(AnalyzeLoop, OperationKind.Loop);
                }
            },
            SymbolKind.NamedType);
    }

    private static void AnalyzeCall(OperationAnalysisContext context)
    {
        var method = context.Operation is IMethodReferenceOperation handed
            ? handed.Method
            : ((IInvocationOperation)context.Operation).TargetMethod;
        if (Methods.Contains(NameOf(method)) && !IsElsewhere(context.Operation)
            && !(context.Operation is IInvocationOperation call && (Polls.Is(call) || IsOver(call))))
        {
            Report(context, context.Operation, $"{method.ContainingType.Name}.{method.Name}", $"/{method.Parameters.Length}");
        }
    }

    private static void AnalyzeResult(OperationAnalysisContext context)
    {
        var reference = (IPropertyReferenceOperation)context.Operation;
        var property = reference.Property;
        if (NameOf(property) is $"{Tasks}.Task.Result" or $"{Tasks}.ValueTask.Result" && !AwaitedBefore.Is(reference.Instance)
            && !IsElsewhere(reference) && reference.Parent is not INameOfOperation)
        {
            Report(context, reference, $"{property.ContainingType.Name}.Result", "");
        }
    }

    private static void AnalyzeLoop(OperationAnalysisContext context)
    {
        if (!IsElsewhere(context.Operation) && Polls.SpunOn((ILoopOperation)context.Operation) is { } look && look switch
        {
            IPropertyReferenceOperation asked => !AwaitedBefore.Is(asked.Instance) ? asked.Property : null,
            IInvocationOperation call => Methods.Contains(NameOf(call.TargetMethod)) && !IsOver(call) ? call.TargetMethod : null,
            _ => default(ISymbol),
        } is { } member)
        {
            Report(context, look, $"A spin on {member.ContainingType.Name}.{member.Name}", "");
        }
    }

    private static bool IsOver(IInvocationOperation call) =>
        call.TargetMethod.Name is "Wait" or "GetResult" && AwaitedBefore.Is(call.Instance);

    /// <summary>True in a function that is written for <c>Task.Run</c>: another thread waits, which holds no grain up.</summary>
    private static bool IsElsewhere(IOperation operation)
    {
        for (var at = operation; at is not null; at = at.Parent)
        {
            if (at is IAnonymousFunctionOperation
                && at.Parent?.Parent?.Parent is IInvocationOperation { TargetMethod: { Name: "Run", ContainingType.Name: "Task" } })
            {
                return true;
            }
        }

        return false;
    }

    private static void Report(OperationAnalysisContext context, IOperation at, string what, string parameters) =>
        context.ReportDiagnostic(Diagnostic.Create(
            Diagnostics.Blocking, at.Syntax.GetLocation(),
            ImmutableDictionary<string, string?>.Empty.Add(Diagnostics.Member, what + parameters), what));

    private static string NameOf(ISymbol member) =>
        $"{member.ContainingType.ContainingNamespace.ToDisplayString()}.{member.ContainingType.Name}.{member.Name}";
}
