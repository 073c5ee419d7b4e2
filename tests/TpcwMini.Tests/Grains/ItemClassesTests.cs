using System.Reflection;
using Geo;
using TpcwMini.Clusters;
using TpcwMini.Grains;
using TpcwMini.Options;

namespace TpcwMini.Tests.Grains;

public sealed class ItemClassesTests
{
    public static MatrixTheoryData<string, string> Variants => new(
        Variant.Sensible.Select(variant => variant.ToString()), Enum.GetNames<SingleInstanceMode>());

    [Theory]
    [MemberData(nameof(Variants))]
    public void The_classes_of_a_variant_declare_what_the_options_say(string name, string modeName)
    {
        var variant = Variant.Sensible.Single(one => one.ToString() == name);
        var mode = Enum.Parse<SingleInstanceMode>(modeName);
        var served = ServedClasses.Of(variant, mode);
        var declared = GrainDeclaration.Of(
            Assert.Single(served, one => one.IsAssignableTo(typeof(IItem))), versioned: variant.Api == ItemApi.Versioned);
        var cart = GrainDeclaration.Of(Assert.Single(served, one => one.IsAssignableTo(typeof(ICart))), versioned: false);

        Assert.Equal((Instancing.GlobalSingle, mode), (cart.Instancing, cart.Mode));
        Assert.True(variant.Instancing == ItemInstancing.Multi || declared.Mode == mode, $"{declared}");

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
            .Where(type => type is { IsClass: true, IsAbstract: false }
                && (type.IsAssignableTo(typeof(IItem)) || type.IsAssignableTo(typeof(ICart))))
            .ToList();

        Assert.Equal(14 + 3, classes.Count);
        Assert.All(classes, itemClass => Assert.All(
            itemClass.GetMembers(
                BindingFlags.DeclaredOnly | BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic),
            member => Assert.IsType<ConstructorInfo>(member, exactMatch: false)));
    }
}
