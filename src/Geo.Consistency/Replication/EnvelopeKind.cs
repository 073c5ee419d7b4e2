namespace Geo.Consistency;

/// <summary>What a message between exchanges is for.</summary>
internal enum EnvelopeKind : byte
{
    /// <summary>The grain's view, if it is active.</summary>
    Active,

    /// <summary>The grain's view, which is activated for it.</summary>
    Activate,

    /// <summary>The cluster's memory of the grain, whether or not that is active.</summary>
    Memory,

    /// <summary>The views of several grains, as far as they are active: what they may have missed. It names one of them.</summary>
    Digest,
}
