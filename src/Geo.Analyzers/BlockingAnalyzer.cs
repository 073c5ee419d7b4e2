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
                }
            },
            SymbolKind.NamedType);
    }

    private static void AnalyzeCall(OperationAnalysisContext context)
    {
        var method = context.Operation is IMethodReferenceOperation handed
            ? handed.Method
            : ((IInvocationOperation)context.Operation).TargetMethod;
        if (Methods.Contains(NameOf(method)) && !(context.Operation is IInvocationOperation call && (IsPoll(call) || IsOver(call))))
        {
            Report(context, $"{method.ContainingType.Name}.{method.Name}", $"/{method.Parameters.Length}");
        }
    }

    private static void AnalyzeResult(OperationAnalysisContext context)
    {
        var reference = (IPropertyReferenceOperation)context.Operation;
        var property = reference.Property;
        if (NameOf(property) is $"{Tasks}.Task.Result" or $"{Tasks}.ValueTask.Result" && !AwaitedBefore.Is(reference.Instance)
            && reference.Parent is not INameOfOperation)
        {
            Report(context, $"{property.ContainingType.Name}.Result", "");
        }
    }

    // Looks, and waits for nothing; Monitor.Wait waits for the lock even then.
    private static bool IsPoll(IInvocationOperation call) => call.TargetMethod.ContainingType.Name != "Monitor" && call.Arguments.Any(
        argument => argument.Parameter?.Name is "millisecondsTimeout" or "timeout" && IsZero(argument.Value));

    private static bool IsZero(IOperation time) => time.ConstantValue is { HasValue: true, Value: 0 }
        || time is IFieldReferenceOperation { Field: { Name: "Zero", ContainingType.Name: "TimeSpan" } };

    private static bool IsOver(IInvocationOperation call) =>
        call.TargetMethod.Name is "Wait" or "GetResult" && AwaitedBefore.Is(call.Instance);

    private static void Report(OperationAnalysisContext context, string what, string parameters) =>
        context.ReportDiagnostic(Diagnostic.Create(
            Diagnostics.Blocking, context.Operation.Syntax.GetLocation(),
            ImmutableDictionary<string, string?>.Empty.Add(Diagnostics.Member, what + parameters), what));

    private static string NameOf(ISymbol member) =>
        $"{member.ContainingType.ContainingNamespace.ToDisplayString()}.{member.ContainingType.Name}.{member.Name}";
}
