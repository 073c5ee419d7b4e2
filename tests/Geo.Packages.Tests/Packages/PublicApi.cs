using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Geo.Packages.Tests.Packages;

/// <summary>Reads what an assembly offers to those who reference it, as text.</summary>
internal static class PublicApi
{
    private static readonly SymbolDisplayFormat Format = new(
        SymbolDisplayGlobalNamespaceStyle.Omitted,
        SymbolDisplayTypeQualificationStyle.NameAndContainingTypesAndNamespaces,
        SymbolDisplayGenericsOptions.IncludeTypeParameters | SymbolDisplayGenericsOptions.IncludeTypeConstraints
            | SymbolDisplayGenericsOptions.IncludeVariance,
        SymbolDisplayMemberOptions.IncludeAccessibility | SymbolDisplayMemberOptions.IncludeModifiers
            | SymbolDisplayMemberOptions.IncludeParameters | SymbolDisplayMemberOptions.IncludeType | SymbolDisplayMemberOptions.IncludeRef
            | SymbolDisplayMemberOptions.IncludeContainingType | SymbolDisplayMemberOptions.IncludeConstantValue,
        SymbolDisplayDelegateStyle.NameAndSignature,
        SymbolDisplayExtensionMethodStyle.StaticMethod,
        SymbolDisplayParameterOptions.IncludeType | SymbolDisplayParameterOptions.IncludeName
            | SymbolDisplayParameterOptions.IncludeDefaultValue | SymbolDisplayParameterOptions.IncludeParamsRefOut
            | SymbolDisplayParameterOptions.IncludeExtensionThis,
        SymbolDisplayPropertyStyle.ShowReadWriteDescriptor,
        SymbolDisplayLocalOptions.None,
        SymbolDisplayKindOptions.IncludeTypeKeyword,
        SymbolDisplayMiscellaneousOptions.UseSpecialTypes | SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier);

    public static IReadOnlyList<string> Of(string file)
    {
        var library = MetadataReference.CreateFromFile(file);
        var around = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Select(path => (MetadataReference)MetadataReference.CreateFromFile(path));
        var compilation = CSharpCompilation.Create("Reader", references: [library, .. around]);
        var assembly = (IAssemblySymbol)compilation.GetAssemblyOrModuleSymbol(library)!;
        return [.. Types(assembly.GlobalNamespace).OrderBy(type => type.ToDisplayString(), StringComparer.Ordinal).SelectMany(Lines)];
    }

    private static IEnumerable<INamedTypeSymbol> Types(INamespaceOrTypeSymbol parent) =>
        parent.GetMembers().SelectMany(member => member switch
        {
            INamespaceSymbol inner => Types(inner),
            INamedTypeSymbol type when IsOffered(type) => Types(type).Prepend(type),
            _ => [],
        });

    private static IEnumerable<string> Lines(INamedTypeSymbol type) =>
        type.GetMembers().Where(member => member is not INamedTypeSymbol && IsOffered(member) && !IsOfTheCompiler(member))
            .Select(member => member.ToDisplayString(Format)).Order(StringComparer.Ordinal).Prepend(Declaration(type));

    private static string Declaration(INamedTypeSymbol type)
    {
        var isDerived = type is { TypeKind: TypeKind.Class, BaseType.SpecialType: not SpecialType.System_Object };
        var bases = (isDerived ? type.Interfaces.Insert(0, type.BaseType!) : type.Interfaces)
            .Select(parent => parent.ToDisplayString(SymbolDisplayFormat.CSharpErrorMessageFormat)).ToArray();
        var modifiers = type.IsStatic ? "static "
            : type.TypeKind != TypeKind.Class ? ""
            : type.IsAbstract ? "abstract "
            : type.IsSealed ? "sealed " : "";
        return $"{modifiers}{type.ToDisplayString(Format)}{(bases.Length == 0 ? "" : " : " + string.Join(", ", bases))}";
    }

    private static bool IsOffered(ISymbol symbol) =>
        symbol.DeclaredAccessibility is Accessibility.Public or Accessibility.Protected or Accessibility.ProtectedOrInternal;

    // Accessors are told with their property; what records, and code generators, add is told by the type's own line.
    private static bool IsOfTheCompiler(ISymbol symbol) =>
        symbol is IMethodSymbol { AssociatedSymbol: not null }
        || symbol.Name is "<Clone>$" or "EqualityContract" or "PrintMembers"
        || (symbol.ContainingType.IsRecord
            && symbol.Name is "Equals" or "GetHashCode" or "ToString" or "op_Equality" or "op_Inequality" or "Deconstruct")
        || symbol is IMethodSymbol { MethodKind: MethodKind.Constructor, Parameters.Length: 0, ContainingType.TypeKind: TypeKind.Struct };
}
