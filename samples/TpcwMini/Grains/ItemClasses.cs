// All classes that can serve IItem, in one file so that they can be compared: nothing but their attributes differs (GEO Table 1). A run
// serves one of them.
namespace TpcwMini.Grains;

/// <summary>Basic API, state in storage, one instance.</summary>
[GlobalSingleInstance]
public sealed class BasicPersistentSingleItem : BasicItemGrain;

/// <summary>Basic API, state in memory, one instance.</summary>
[GlobalSingleInstance]
[StorageProvider(ProviderName = GeoStorage.Volatile)]
public sealed class BasicVolatileSingleItem : BasicItemGrain;

/// <summary>Versioned API, state in storage, one instance.</summary>
[GlobalSingleInstance]
[BatchedCas]
[Reentrant]
public sealed class VersionedPersistentSingleItem(ItemReads reads) : VersionedItemGrain(reads);

/// <summary>Versioned API, state in memory, one instance.</summary>
[GlobalSingleInstance]
[Reentrant]
public sealed class VersionedVolatileSingleItem(ItemReads reads) : VersionedItemGrain(reads);

/// <summary>Versioned API, state in storage, an instance in each cluster.</summary>
[OneInstancePerCluster]
[BatchedCas]
[Reentrant]
public sealed class VersionedPersistentMultiItem(ItemReads reads) : VersionedItemGrain(reads);

/// <summary>Versioned API, state in memory, an instance in each cluster.</summary>
[OneInstancePerCluster]
[VersionedLeader]
[Reentrant]
public sealed class VersionedVolatileMultiItem(ItemReads reads) : VersionedItemGrain(reads);

/// <summary>Basic API, state in storage, one instance that no silence of a region doubles.</summary>
[GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
public sealed class PessimisticBasicPersistentSingleItem : BasicItemGrain;

/// <summary>Basic API, state in memory, one instance that no silence of a region doubles.</summary>
[GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
[StorageProvider(ProviderName = GeoStorage.Volatile)]
public sealed class PessimisticBasicVolatileSingleItem : BasicItemGrain;

/// <summary>Versioned API, state in storage, one instance that no silence of a region doubles.</summary>
[GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
[BatchedCas]
[Reentrant]
public sealed class PessimisticVersionedPersistentSingleItem(ItemReads reads) : VersionedItemGrain(reads);

/// <summary>Versioned API, state in memory, one instance that no silence of a region doubles.</summary>
[GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
[Reentrant]
public sealed class PessimisticVersionedVolatileSingleItem(ItemReads reads) : VersionedItemGrain(reads);

/// <summary>Basic API, state in storage, one instance, kept by majority.</summary>
[GlobalSingleInstance(SingleInstanceMode.Quorum)]
public sealed class QuorumBasicPersistentSingleItem : BasicItemGrain;

/// <summary>Basic API, state in memory, one instance, kept by majority.</summary>
[GlobalSingleInstance(SingleInstanceMode.Quorum)]
[StorageProvider(ProviderName = GeoStorage.Volatile)]
public sealed class QuorumBasicVolatileSingleItem : BasicItemGrain;

/// <summary>Versioned API, state in storage, one instance, kept by majority.</summary>
[GlobalSingleInstance(SingleInstanceMode.Quorum)]
[BatchedCas]
[Reentrant]
public sealed class QuorumVersionedPersistentSingleItem(ItemReads reads) : VersionedItemGrain(reads);

/// <summary>Versioned API, state in memory, one instance, kept by majority.</summary>
[GlobalSingleInstance(SingleInstanceMode.Quorum)]
[Reentrant]
public sealed class QuorumVersionedVolatileSingleItem(ItemReads reads) : VersionedItemGrain(reads);
