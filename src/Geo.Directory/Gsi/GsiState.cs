namespace Geo.Directory;

/// <summary>The state of a cluster's directory entry for one grain (GEO section 3.2). The numbers are stored: they never change.</summary>
public enum GsiState : byte
{
    /// <summary>There is no entry. Never stored.</summary>
    Invalid = 0,

    /// <summary>The cluster is running a round to obtain ownership.</summary>
    Requested = 1,

    /// <summary>The cluster's present round is cancelled and must start over.</summary>
    Loser = 2,

    /// <summary>The cluster has exclusive ownership, and the instance.</summary>
    Owned = 3,

    /// <summary>The cluster has an instance, but exclusive ownership has not been established.</summary>
    Doubtful = 4,

    /// <summary>The silo believes that the instance is in another cluster: a hint in its memory, never stored.</summary>
    Cached = 5,
}
