namespace Geo.Consistency;

/// <summary>The rules of batching compare-and-swap that a test can switch off, to show that they are needed.</summary>
internal enum CasRule
{
    /// <summary>An instance finds its updates in a version by their numbers.</summary>
    Landed,

    /// <summary>An update that was handed in is applied only when the row's number of its instance is lower.</summary>
    Sequence,

    /// <summary>Whoever applies an update records its number.</summary>
    Stamp,

    /// <summary>A write replaces the etag that it was made on, and no other.</summary>
    ETag,

    /// <summary>A condition is looked at where the updates that were handed in are applied.</summary>
    Condition,

    /// <summary>
    /// A hand-in ends with its first condition: what was raised on that one is refused with it, and must not be on its way by itself.
    /// </summary>
    OneCondition,

    /// <summary>What was handed in by an instance whose number may have been displaced is left out.</summary>
    Forgotten,

    /// <summary>An update whose number may have been displaced is not written again.</summary>
    Lost,

    /// <summary>A history without the numbers that were known is not adopted.</summary>
    Replaced,
}
