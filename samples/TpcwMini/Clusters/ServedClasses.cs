using TpcwMini.Grains;
using TpcwMini.Options;

namespace TpcwMini.Clusters;

/// <summary>The only place where options turn into grain classes: a silo serves one class of carts and one of items.</summary>
internal static class ServedClasses
{
    public static IReadOnlyList<Type> Of(Variant variant, SingleInstanceMode mode) => [CartOf(mode), ItemOf(variant, mode)];

    private static Type CartOf(SingleInstanceMode mode) => mode switch
    {
        SingleInstanceMode.Pessimistic => typeof(PessimisticCart),
        SingleInstanceMode.Quorum => typeof(QuorumCart),
        _ => typeof(OptimisticCart),
    };

    private static Type ItemOf(Variant variant, SingleInstanceMode mode) => variant switch
    {
        { Instancing: ItemInstancing.Multi, State: ItemDurability.Persistent } => typeof(VersionedPersistentMultiItem),
        { Instancing: ItemInstancing.Multi } => typeof(VersionedVolatileMultiItem),
        { Api: ItemApi.Basic, State: ItemDurability.Persistent } => Of<
            BasicPersistentSingleItem, PessimisticBasicPersistentSingleItem, QuorumBasicPersistentSingleItem>(mode),
        { Api: ItemApi.Basic } => Of<
            BasicVolatileSingleItem, PessimisticBasicVolatileSingleItem, QuorumBasicVolatileSingleItem>(mode),
        { State: ItemDurability.Persistent } => Of<
            VersionedPersistentSingleItem, PessimisticVersionedPersistentSingleItem, QuorumVersionedPersistentSingleItem>(mode),
        _ => Of<VersionedVolatileSingleItem, PessimisticVersionedVolatileSingleItem, QuorumVersionedVolatileSingleItem>(mode),
    };

    private static Type Of<TOptimistic, TPessimistic, TQuorum>(SingleInstanceMode mode) => mode switch
    {
        SingleInstanceMode.Pessimistic => typeof(TPessimistic),
        SingleInstanceMode.Quorum => typeof(TQuorum),
        _ => typeof(TOptimistic),
    };
}
