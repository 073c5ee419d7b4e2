namespace ByteArraySample;

/// <summary>Versioned API, volatile, an instance in each region, of which California's leads.</summary>
[OneInstancePerCluster, VersionedLeader(Leader = Arrays.Near), Reentrant]
public sealed class MultiVolatileArray : VersionedArray;
