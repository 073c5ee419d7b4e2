namespace Geo.Consistency;

/// <summary>A silo's try to get the memory of a grain.</summary>
internal sealed class MemoryClaim
{
    /// <summary>True while questions are on their way.</summary>
    internal bool IsRunning { get; set; }

    /// <summary>
    /// The silo that has the memory, and its offer, from when it is asked to give it: until it has answered, it may have done so.
    /// </summary>
    internal (string Node, long Offer)? Taking { get; set; }
}
