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

    /// <summary>
    /// The clusters keep by majority who has the instance: never two, and no cluster need answer but the majority. A silo that is cut off
    /// from the majority stops serving within its lease, 2 seconds by default, and its grains come to life elsewhere; callers beside the
    /// minority get a <see cref="GeoUnavailableException"/> in bounded time. Needs a store by majority, and three clusters or more (one of
    /// them may be a witness without grains): of two, any cut stops both.
    /// </summary>
    Quorum,
}
