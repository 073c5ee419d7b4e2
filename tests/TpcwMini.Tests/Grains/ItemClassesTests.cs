using System.Reflection;
using Geo;
using TpcwMini.Clusters;
using TpcwMini.Grains;
using TpcwMini.Options;

namespace TpcwMini.Tests.Grains;

public sealed class ItemClassesTests
{
    public static TheoryData<string> Variants => [.. Variant.Sensible.Select(variant => variant.ToString())];

    [Theory]
    [MemberData(nameof(Variants))]
    public void The_class_of_a_variant_declares_what_the_options_say(string name)
    {
        var variant = Variant.Sensible.Single(one => one.ToString() == name);
        var itemClass = typeof(IItem).Assembly.GetType(ItemClassOf.Variant(variant).Prefix, throwOnError: true)!;
        var declared = GrainDeclaration.Of(itemClass, versioned: variant.Api == ItemApi.Versioned);

        Assert.Equal(variant.Instancing == ItemInstancing.Single ? Instancing.GlobalSingle : Instancing.OnePerCluster, declared.Instancing);
        Assert.Equal(
            variant switch
            {
                { Api: ItemApi.Basic } => ViewProtocol.None,
                { State: ItemDurability.Persistent } => ViewProtocol.BatchedCas,
                { Instancing: ItemInstancing.Multi } => ViewProtocol.VersionedLeader,
                _ => ViewProtocol.Local,
            },
            declared.Protocol);
    }

    [Fact]
    public void The_classes_differ_in_attributes_alone()
    {
        var classes = typeof(IItem).Assembly.GetTypes()
            .Where(type => type is { IsClass: true, IsAbstract: false } && type.IsAssignableTo(typeof(IItem))).ToList();

        Assert.Equal(6, classes.Count);
        Assert.All(classes, itemClass => Assert.All(
            itemClass.GetMembers(
                BindingFlags.DeclaredOnly | BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic),
            member => Assert.IsType<ConstructorInfo>(member, exactMatch: false)));
        Assert.All(classes, one => Assert.DoesNotContain(
            classes, other => other != one && other.FullName!.StartsWith(one.FullName!, StringComparison.Ordinal)));
    }
}
