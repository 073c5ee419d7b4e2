namespace ByteArraySample;

/// <summary>Versioned API, persistent, one instance.</summary>
[GlobalSingleInstance, BatchedCas, Reentrant]
public sealed class SingleStoredArray : VersionedArray;
