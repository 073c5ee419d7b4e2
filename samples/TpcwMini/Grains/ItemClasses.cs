// All classes that can serve IItem, in one file so that they can be compared: nothing but their attributes differs (GEO Table 1).
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

/// <summary>Versioned API, state in storage, an instance in each cluster.</summary>
[OneInstancePerCluster]
[BatchedCas]
[Reentrant]
public sealed class VersionedPersistentMultiItem(ItemReads reads) : VersionedItemGrain(reads);

/// <summary>Versioned API, state in memory, one instance.</summary>
[GlobalSingleInstance]
[Reentrant]
public sealed class VersionedVolatileSingleItem(ItemReads reads) : VersionedItemGrain(reads);

/// <summary>Versioned API, state in memory, an instance in each cluster.</summary>
[OneInstancePerCluster]
[VersionedLeader]
[Reentrant]
public sealed class VersionedVolatileMultiItem(ItemReads reads) : VersionedItemGrain(reads);
