using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Geo.Analyzers;

/// <summary>
/// Tells of what a silo would refuse when it starts: the same rules as <c>GrainDeclaration.Of</c>, which a test compares.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class DeclarationAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        [Diagnostics.Contradiction, Diagnostics.NoProtocol];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSymbolAction(Analyze, SymbolKind.NamedType);
    }

    private static void Analyze(SymbolAnalysisContext context)
    {
        var type = (INamedTypeSymbol)context.Symbol;
        if (type.TypeKind != TypeKind.Class || type.IsAbstract)
        {
            return;
        }

        var grain = new GrainClass(type);
        foreach (var contradiction in Contradictions(grain))
        {
            context.ReportDiagnostic(Diagnostic.Create(Diagnostics.Contradiction, type.Locations[0], type.Name, contradiction));
        }

        if (grain.IsEmbeddedJournal && !grain.IsDeclared)
        {
            context.ReportDiagnostic(Diagnostic.Create(Diagnostics.NoProtocol, type.Locations[0], type.Name));
        }
    }

    private static IEnumerable<string> Contradictions(GrainClass grain)
    {
        if (grain.IsSingle && grain.IsOnePerCluster)
        {
            yield return "has both [GlobalSingleInstance] and [OneInstancePerCluster]; keep one";
        }

        if (grain.IsCoordinationFree && (grain.IsSingle || grain.IsOnePerCluster || grain.Protocols.Count > 0))
        {
            yield return "has [CoordinationFree], which goes with no other protocol and no number of instances; remove the attribute, or "
                + "what contradicts it";
        }

        if (grain.Protocols.Count > 1)
        {
            yield return $"has both {string.Join(" and ", grain.Protocols.Select(name => $"[{name}]"))}; keep one";
        }

        if (!grain.IsJournaled && grain.Protocols.Count > 0)
        {
            yield return "names a consistency protocol but is not a JournaledGrain; derive from JournaledGrain or remove the attribute";
        }

        if (!grain.IsJournaled && grain.IsOnePerCluster)
        {
            yield return "has [OneInstancePerCluster] but is not a JournaledGrain, so nothing would keep its instances consistent; "
                + "derive from JournaledGrain or use [GlobalSingleInstance]";
        }

        if (grain.Protocols.Count > 0 && grain.Protocols[0] == "VersionedLeader" && !grain.IsOnePerCluster)
        {
            yield return "has [VersionedLeader], which orders the updates of several instances, but not [OneInstancePerCluster]; add it";
        }

        if (grain.HasReadReplica && !(grain.IsSingle && grain.IsJournaled))
        {
            yield return "has [ReadReplica], which is for the copies of a JournaledGrain with [GlobalSingleInstance]; add that, or remove "
                + "the attribute";
        }
    }
}
