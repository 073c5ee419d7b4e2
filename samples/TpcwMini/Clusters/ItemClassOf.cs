using TpcwMini.Grains;
using TpcwMini.Options;

namespace TpcwMini.Clusters;

/// <summary>The only place where options turn into a grain class.</summary>
internal static class ItemClassOf
{
    public static ItemClass Variant(Variant variant) => new(ClassOf(variant).FullName!);

    private static Type ClassOf(Variant variant) => variant switch
    {
        { Api: ItemApi.Basic, State: ItemDurability.Persistent } => typeof(BasicPersistentSingleItem),
        { Api: ItemApi.Basic, State: ItemDurability.Volatile } => typeof(BasicVolatileSingleItem),
        { State: ItemDurability.Persistent, Instancing: ItemInstancing.Single } => typeof(VersionedPersistentSingleItem),
        { State: ItemDurability.Persistent } => typeof(VersionedPersistentMultiItem),
        { Instancing: ItemInstancing.Single } => typeof(VersionedVolatileSingleItem),
        _ => typeof(VersionedVolatileMultiItem),
    };
}
