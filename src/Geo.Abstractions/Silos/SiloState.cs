namespace Geo;

/// <summary>What a cluster's membership says of one of its silos.</summary>
internal enum SiloState
{
    /// <summary>The membership does not know it: it may not have joined yet, or have left long ago. Not the same as dead.</summary>
    Unknown,

    /// <summary>It takes part.</summary>
    Living,

    /// <summary>It stops in an orderly way; until it is gone it can be called and may have instances.</summary>
    Leaving,

    /// <summary>The cluster has declared it dead. It may be frozen, or cut off, and not know.</summary>
    Dead,
}
