using System.Collections.Immutable;

namespace Geo.Abstractions.Tests.Storage;

public sealed class StoreFactsTests
{
    private static readonly Guid Rows = Guid.NewGuid();
    private static readonly Guid Stock = Guid.NewGuid();

    [Fact]
    public void Silos_of_a_cluster_share_its_rows_and_the_stores_that_both_use()
    {
        Assert.Null(Of(Rows, ("stock", Stock)).DifferenceWithin("eu/2", Of(Rows, ("stock", Stock), ("others", Guid.NewGuid()))));
        Assert.Contains("in another store", Of(Rows).DifferenceWithin("eu/2", Of(Guid.NewGuid())), StringComparison.Ordinal);
        Assert.Contains(
            $"the store 'stock' of this silo ({Stock:N}) is not the store 'stock' of silo 'eu/2' of the same cluster (AllowUnsharedStores)",
            Of(Rows, ("stock", Stock)).DifferenceWithin("eu/2", Of(Rows, ("stock", Guid.Empty))), StringComparison.Ordinal);
    }

    [Fact]
    public void Clusters_share_the_stores_that_both_use_and_not_their_rows()
    {
        var (eu, us) = (new ClusterId("eu"), new ClusterId("us"));
        Assert.Null(Of(Rows, ("stock", Stock)).ConflictWith(eu, us, Of(Guid.NewGuid(), ("stock", Stock), ("others", Guid.NewGuid()))));
        Assert.Contains("in one store", Of(Rows).ConflictWith(eu, us, Of(Rows)), StringComparison.Ordinal);

        // In the same words on both sides.
        var (own, theirs) = (Of(Rows, ("stock", Stock)), Of(null, ("stock", Guid.NewGuid())));
        Assert.Contains($"the store 'stock' of cluster 'eu' ({Stock:N})", own.ConflictWith(eu, us, theirs), StringComparison.Ordinal);
        Assert.Equal(own.ConflictWith(eu, us, theirs), theirs.ConflictWith(us, eu, own));
    }

    [Fact]
    public void The_store_of_owners_is_compared_whatever_its_name_and_a_class_has_one_mode()
    {
        var (eu, us) = (new ClusterId("eu"), new ClusterId("us"));
        var store = Guid.NewGuid();
        var own = Owning(store, ("cart", true), ("desk", false));
        Assert.Null(Conflict(own, Owning(store, ("cart", true), ("other", false))));
        Assert.Null(Conflict(own, Owning(null, ("desk", false), ("new", false))));
        Assert.Null(Conflict(own, StoreFacts.None));
        Assert.Contains(
            $"is not the same in cluster 'eu' ({store:N})", Conflict(own, Owning(Stock, ("cart", true))), StringComparison.Ordinal);
        Assert.Contains(
            "the grain class 'cart' has SingleInstanceMode.Quorum in cluster 'eu' and another mode in cluster 'us'",
            Conflict(own, Owning(null, ("cart", false))), StringComparison.Ordinal);
        Assert.Contains(
            "the grain class 'desk' has SingleInstanceMode.Quorum in silo 'eu/2' of the same cluster and another mode in this silo",
            own.DifferenceWithin("eu/2", Owning(store, ("desk", true))), StringComparison.Ordinal);
        Assert.Contains(
            "is not the same in this silo", own.DifferenceWithin("eu/2", Owning(Stock, ("cart", true))), StringComparison.Ordinal);

        // As they travel: in the same words on both sides.
        string? Conflict(StoreFacts here, StoreFacts there)
        {
            var conflict = here.ConflictWith(eu, us, StoreFacts.Read(there.ToBytes()));
            Assert.Equal(conflict, there.ConflictWith(us, eu, StoreFacts.Read(here.ToBytes())));
            return conflict;
        }

        static StoreFacts Owning(Guid? store, params (string Name, bool IsByMajority)[] classes) => StoreFacts.None with
        {
            Ownership = new(store, ClassFacts<bool>.Of(classes.Select(c => KeyValuePair.Create(c.Name, c.IsByMajority)))),
        };
    }

    [Fact]
    public void A_coordination_free_class_has_replicas_in_all_clusters_or_in_some_everywhere_and_no_single_instance()
    {
        var (eu, us) = (new ClusterId("eu"), new ClusterId("us"));
        var own = Free(("cart", true), ("likes", false));
        Assert.Null(Conflict(own, Free(("cart", true), ("new", false))));
        Assert.Null(Conflict(own, StoreFacts.None));
        Assert.Contains(
            "the grain class 'cart' has replicas in some clusters ([CoordinationFree(Replicas = ...)]) in cluster 'eu', and in all in "
                + "cluster 'us'",
            Conflict(own, Free(("cart", false))), StringComparison.Ordinal);
        Assert.Contains("in silo 'eu/2' of the same cluster, and in all in this silo", own.DifferenceWithin("eu/2", Free(("likes", true))),
            StringComparison.Ordinal);
        var single = StoreFacts.None with { Ownership = new(null, ClassFacts<bool>.Of([KeyValuePair.Create("likes", false)])) };
        Assert.Contains(
            "the grain class 'likes' is [CoordinationFree] in cluster 'eu' and has a single instance in cluster 'us'",
            Conflict(own, single), StringComparison.Ordinal);
        Assert.Contains(
            "the grain class 'likes' is [CoordinationFree] in silo 'eu/2' of the same cluster and has a single instance in this silo",
            single.DifferenceWithin("eu/2", own), StringComparison.Ordinal);

        // As they travel: in the same words on both sides, and with one that does not tell it.
        string? Conflict(StoreFacts here, StoreFacts there)
        {
            var conflict = here.ConflictWith(eu, us, StoreFacts.Read(there.ToBytes()));
            Assert.Equal(conflict, there.ConflictWith(us, eu, StoreFacts.Read(here.ToBytes())));
            Assert.Null(here.ConflictWith(eu, us, StoreFacts.Read(StoreFacts.None.ToBytes().AsSpan()[..^5])));
            return conflict;
        }

        static StoreFacts Free(params (string Name, bool IsInSome)[] classes) =>
            StoreFacts.None with { Lattices = new(ClassFacts<bool>.Of(classes.Select(c => KeyValuePair.Create(c.Name, c.IsInSome)))) };
    }

    [Fact]
    public void A_class_confirms_its_updates_by_one_rule_in_all_clusters()
    {
        var (eu, us) = (new ClusterId("eu"), new ClusterId("us"));
        var own = Confirming(("seat", UpdateConfirmation.Replicated), ("count", UpdateConfirmation.Default));
        Assert.Null(Conflict(own, Confirming(("seat", UpdateConfirmation.Replicated), ("new", UpdateConfirmation.Leader))));
        Assert.Null(Conflict(own, StoreFacts.None));
        Assert.Contains(
            "the grain class 'seat' has UpdateConfirmation.Replicated in cluster 'eu' and UpdateConfirmation.Leader in cluster 'us'",
            Conflict(own, Confirming(("seat", UpdateConfirmation.Leader))), StringComparison.Ordinal);
        Assert.Contains(
            "the grain class 'count' has UpdateConfirmation.Default in this silo and UpdateConfirmation.Leader in silo 'eu/2'",
            own.DifferenceWithin("eu/2", Confirming(("count", UpdateConfirmation.Leader))), StringComparison.Ordinal);

        string? Conflict(StoreFacts here, StoreFacts there)
        {
            var conflict = here.ConflictWith(eu, us, StoreFacts.Read(there.ToBytes()));
            Assert.Equal(conflict, there.ConflictWith(us, eu, StoreFacts.Read(here.ToBytes())));
            return conflict;
        }

        static StoreFacts Confirming(params (string Name, UpdateConfirmation Confirmation)[] classes) => StoreFacts.None with
        {
            Confirmations = new(ClassFacts<UpdateConfirmation>.Of(classes.Select(c => KeyValuePair.Create(c.Name, c.Confirmation)))),
        };
    }

    private static StoreFacts Of(Guid? rows, params (string Name, Guid Identity)[] shared) =>
        new(rows, shared.ToImmutableSortedDictionary(store => store.Name, store => store.Identity, StringComparer.Ordinal));
}
