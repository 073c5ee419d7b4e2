using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Geo.Analyzers;

/// <summary>Changes the attributes of a class declaration; comments above it stay where they are.</summary>
internal static class AttributeEdits
{
    /// <summary>The attribute of a name; null where the declaration has none.</summary>
    public static AttributeSyntax? Find(ClassDeclarationSyntax type, string name) =>
        type.AttributeLists.SelectMany(list => list.Attributes).FirstOrDefault(attribute => LastNameOf(attribute) is var last
            && (last == name || last == $"{name}Attribute"));

    /// <summary>The declaration without that attribute.</summary>
    public static ClassDeclarationSyntax Without(ClassDeclarationSyntax type, string name)
    {
        var attribute = Find(type, name)!;
        var list = (AttributeListSyntax)attribute.Parent!;
        if (list.Attributes.Count > 1)
        {
            return type.RemoveNode(attribute, SyntaxRemoveOptions.KeepNoTrivia)!;
        }

        var changed = type.WithAttributeLists(type.AttributeLists.Remove(list));
        return list == type.AttributeLists[0] ? changed.WithLeadingTrivia(list.GetLeadingTrivia()) : changed;
    }

    /// <summary>The declaration with an attribute on a line of its own above the others.</summary>
    public static ClassDeclarationSyntax With(ClassDeclarationSyntax type, string name)
    {
        var above = type.GetLeadingTrivia();
        var indentation = above.Count > 0 && above[above.Count - 1].IsKind(SyntaxKind.WhitespaceTrivia)
            ? SyntaxFactory.TriviaList(above[above.Count - 1])
            : SyntaxFactory.TriviaList();
        var list = SyntaxFactory.AttributeList(
                SyntaxFactory.SingletonSeparatedList(SyntaxFactory.Attribute(SyntaxFactory.ParseName(name))))
            .WithLeadingTrivia(above).WithTrailingTrivia(LineEnd(type));
        var rest = type.WithLeadingTrivia(indentation);
        return rest.WithAttributeLists(rest.AttributeLists.Insert(0, list));
    }

    private static string LastNameOf(AttributeSyntax attribute) => attribute.Name switch
    {
        QualifiedNameSyntax qualified => qualified.Right.Identifier.Text,
        AliasQualifiedNameSyntax alias => alias.Name.Identifier.Text,
        SimpleNameSyntax simple => simple.Identifier.Text,
        _ => "",
    };

    private static SyntaxTrivia LineEnd(ClassDeclarationSyntax type)
    {
        var first = type.SyntaxTree.GetRoot().DescendantTrivia().FirstOrDefault(trivia => trivia.IsKind(SyntaxKind.EndOfLineTrivia));
        return first.IsKind(SyntaxKind.EndOfLineTrivia) ? first : SyntaxFactory.LineFeed;
    }
}
