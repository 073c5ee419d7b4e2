namespace Geo;

/// <summary>What becomes of a read whose read replica is older than the bound allows.</summary>
public enum StaleRead
{
    /// <summary>It goes to the grain's instance, like a call of any other method.</summary>
    Forward,

    /// <summary>It ends at once in a <see cref="GeoUnavailableException"/>; nothing waits for another cluster.</summary>
    Throw,
}
