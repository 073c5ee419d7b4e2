using Microsoft.CodeAnalysis;

namespace Geo.Analyzers;

/// <summary>What the analyzers tell; docs/diagnostics.md explains each.</summary>
internal static class Diagnostics
{
    /// <summary>The property with the attributes of which one may be removed, with spaces between them.</summary>
    public const string Removable = "remove";

    /// <summary>The property with the attributes of which one may be added.</summary>
    public const string Addable = "add";

    /// <summary>The property with the member that blocks, and how many parameters it takes, as in <c>Task.Wait/0</c>.</summary>
    public const string Member = "member";

    private const string Category = "Geo";

    public static readonly DiagnosticDescriptor Contradiction = new(
        "GEO001", "Attributes of a grain class contradict each other", "Grain class {0} {1}", Category, DiagnosticSeverity.Error, true);

    public static readonly DiagnosticDescriptor NoProtocol = new(
        "GEO002",
        "A journaled grain names no protocol",
        "Grain class {0} is a JournaledGrain without an attribute of Geo: its versions are in the memory of one cluster and end with it; "
            + "add [OneInstancePerCluster], [GlobalSingleInstance] or [BatchedCas]",
        Category,
        DiagnosticSeverity.Error,
        true);

    public static readonly DiagnosticDescriptor Blocking = new(
        "GEO003",
        "A replicated grain blocks its thread",
        "{0} blocks the grain's thread, and with it the updates that come from other clusters; await instead",
        Category,
        DiagnosticSeverity.Error,
        true);
}
