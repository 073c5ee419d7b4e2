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
    private const string Single = "GlobalSingleInstance";
    private const string PerCluster = "OneInstancePerCluster";

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
        foreach (var (contradiction, removable, addable) in Contradictions(grain))
        {
            context.ReportDiagnostic(Diagnostic.Create(
                Diagnostics.Contradiction, type.Locations[0], Remedies(removable, addable), type.Name, contradiction));
        }

        if (grain.IsEmbeddedJournal && !grain.IsDeclared)
        {
            context.ReportDiagnostic(Diagnostic.Create(
                Diagnostics.NoProtocol, type.Locations[0], Remedies("", $"{PerCluster} {Single} BatchedCas"), type.Name));
        }
    }

    private static ImmutableDictionary<string, string?> Remedies(string removable, string addable) =>
        ImmutableDictionary<string, string?>.Empty.Add(Diagnostics.Removable, removable).Add(Diagnostics.Addable, addable);

    // What contradicts what, the attributes of which one may go, and those of which one may come.
    private static IEnumerable<(string Text, string Removable, string Addable)> Contradictions(GrainClass grain)
    {
        if (grain.IsSingle && grain.IsOnePerCluster)
        {
            yield return ("has both [GlobalSingleInstance] and [OneInstancePerCluster]; keep one", $"{Single} {PerCluster}", "");
        }

        if (grain.IsCoordinationFree && (grain.IsSingle || grain.IsOnePerCluster || grain.Protocols.Count > 0))
        {
            yield return (
                "has [CoordinationFree], which goes with no other protocol and no number of instances; remove the attribute, or what "
                    + "contradicts it",
                "CoordinationFree", "");
        }

        if (grain.Protocols.Count > 1)
        {
            yield return (
                $"has both {string.Join(" and ", grain.Protocols.Select(name => $"[{name}]"))}; keep one",
                string.Join(" ", grain.Protocols), "");
        }

        if (!grain.IsJournaled && grain.Protocols.Count > 0)
        {
            yield return (
                "names a consistency protocol but is not a JournaledGrain; derive from JournaledGrain or remove the attribute",
                string.Join(" ", grain.Protocols), "");
        }

        if (!grain.IsJournaled && grain.IsOnePerCluster)
        {
            yield return (
                "has [OneInstancePerCluster] but is not a JournaledGrain, so nothing would keep its instances consistent; derive from "
                    + "JournaledGrain or use [GlobalSingleInstance]",
                PerCluster, "");
        }

        if (grain.Protocols.Count > 0 && grain.Protocols[0] == "VersionedLeader" && !grain.IsOnePerCluster)
        {
            yield return (
                "has [VersionedLeader], which orders the updates of several instances, but not [OneInstancePerCluster]; add it",
                "VersionedLeader", grain.IsSingle ? "" : PerCluster);
        }

        if (grain.HasHome && !grain.IsSingle)
        {
            yield return (
                "has [Home], which says where the one instance of a [GlobalSingleInstance] class lives; add that, or remove the attribute",
                "Home", !grain.IsOnePerCluster && !grain.IsCoordinationFree ? Single : "");
        }

        if (grain.HasReadReplica && !(grain.IsSingle && grain.IsJournaled))
        {
            yield return (
                "has [ReadReplica], which is for the copies of a JournaledGrain with [GlobalSingleInstance]; add that, or remove the "
                    + "attribute",
                "ReadReplica", grain.IsJournaled && !grain.IsOnePerCluster && !grain.IsCoordinationFree ? Single : "");
        }
    }
}
