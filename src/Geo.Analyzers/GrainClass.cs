using Microsoft.CodeAnalysis;

namespace Geo.Analyzers;

/// <summary>A class with the attributes of Geo that it carries or inherits.</summary>
internal sealed class GrainClass
{
    private const string EmbeddedJournal = "Geo.Embedded.JournaledGrain`2";

    private static readonly HashSet<string> Journals = [EmbeddedJournal, "Orleans.EventSourcing.JournaledGrain`2"];

    private readonly HashSet<string> _attributes;

    public GrainClass(INamedTypeSymbol type)
    {
        var bases = Bases(type).Select(NameOf).ToList();
        var attributes = Bases(type).SelectMany(one => one.GetAttributes()).Select(attribute => attribute.AttributeClass)
            .OfType<INamedTypeSymbol>().ToList();
        _attributes = [.. attributes.Select(NameOf)];
        Protocols =
        [
            .. attributes.Where(attribute => Bases(attribute).Skip(1).Any(one => NameOf(one) == "Geo.ViewProtocolAttribute"))
                .Select(attribute => attribute.Name.Replace("Attribute", ""))
                .Distinct().OrderBy(name => name, StringComparer.Ordinal),
        ];
        IsJournaled = bases.Any(Journals.Contains);
        IsEmbeddedJournal = bases.Contains(EmbeddedJournal);
        IsLattice = bases.Any(name => name.EndsWith(".LatticeGrain`1", StringComparison.Ordinal)
            || name.EndsWith(".LatticeGrain", StringComparison.Ordinal));
    }

    /// <summary>Derives from a JournaledGrain of either host.</summary>
    public bool IsJournaled { get; }

    /// <summary>Derives from that of Geo.Embedded; Orleans' own may be of no concern to Geo.</summary>
    public bool IsEmbeddedJournal { get; }

    /// <summary>The protocols named, without brackets.</summary>
    public IReadOnlyList<string> Protocols { get; }

    public bool IsSingle => _attributes.Contains("Geo.GlobalSingleInstanceAttribute");

    public bool IsOnePerCluster => _attributes.Contains("Geo.OneInstancePerClusterAttribute");

    public bool IsCoordinationFree => _attributes.Contains("Geo.CoordinationFreeAttribute");

    public bool HasReadReplica => _attributes.Contains("Geo.ReadReplicaAttribute");

    public bool HasHome => _attributes.Contains("Geo.HomeAttribute");

    /// <summary>Carries any attribute by which Geo keeps it.</summary>
    public bool IsDeclared => IsSingle || IsOnePerCluster || IsCoordinationFree || Protocols.Count > 0;

    /// <summary>Updates of other clusters come to it.</summary>
    public bool IsReplicated => IsEmbeddedJournal || IsLattice || (IsJournaled && IsDeclared);

    private bool IsLattice { get; }

    private static IEnumerable<INamedTypeSymbol> Bases(INamedTypeSymbol type)
    {
        for (INamedTypeSymbol? one = type; one is not null; one = one.BaseType)
        {
            yield return one;
        }
    }

    private static string NameOf(INamedTypeSymbol type) => $"{type.ContainingNamespace.ToDisplayString()}.{type.MetadataName}";
}
