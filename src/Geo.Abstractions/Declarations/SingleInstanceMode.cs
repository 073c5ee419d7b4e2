namespace Geo;

/// <summary>What a single-instance grain does while another cluster does not answer (GEO section 3.1, optimistic activation).</summary>
public enum SingleInstanceMode
{
    /// <summary>
    /// Stay available: activate without the missing answers and settle later. Two instances may exist for a time; one of them
    /// is deactivated when the clusters hear from each other again.
    /// </summary>
    Optimistic,

    /// <summary>Never risk a second instance: the caller gets a <see cref="GeoUnavailableException"/> in bounded time.</summary>
    Pessimistic,
}
