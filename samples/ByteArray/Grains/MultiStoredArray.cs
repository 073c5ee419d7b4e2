namespace ByteArraySample;

/// <summary>Versioned API, persistent, an instance in each region.</summary>
[OneInstancePerCluster, BatchedCas, Reentrant]
public sealed class MultiStoredArray : VersionedArray;
