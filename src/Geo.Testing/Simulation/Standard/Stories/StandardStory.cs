namespace Geo.Testing;

/// <summary>A situation into which a run of a <see cref="MultiClusterSimulation"/> is led.</summary>
internal enum StandardStory
{
    /// <summary>A cluster dies as a whole, and comes back over its rows when the others have gone on without it.</summary>
    ReturningCluster,

    /// <summary>A cluster dies as a whole, comes back and dies again, over a store whose writes are late.</summary>
    ShortLives,

    /// <summary>A silo is declared dead, and runs on, while the duplicates that it has are to be ended.</summary>
    SuspectedDuplicate,

    /// <summary>A silo stands still during a round, until others have run theirs.</summary>
    OvertakenRound,

    /// <summary>
    /// A silo with grains in doubt stands still when it has lost a race for them, and the clusters lose each other again.
    /// </summary>
    BrokenRerun,

    /// <summary>One silo alone loses the store of its cluster's rows.</summary>
    LostStore,

    /// <summary>All silos of a cluster have one trouble at one time.</summary>
    SharedTrouble,

    /// <summary>A silo stands still during a call, until a sibling has taken the grain over.</summary>
    LingeringCall,

    /// <summary>The store of rows says of writes that they are unknown, and does them later, while grains come and go.</summary>
    LateStore,

    /// <summary>A silo crashes with a grain in doubt, in a cluster that takes long to look through its rows.</summary>
    HiddenDoubt,

    /// <summary>A call on an instance that is to be ended never ends.</summary>
    EndlessCall,

    /// <summary>Calls never end on duplicates that are to be ended, and callers go to the owner.</summary>
    OccupiedDuplicate,

    /// <summary>A silo dies that owns grains of which another cluster has instances in doubt.</summary>
    DeadOwner,

    /// <summary>A cluster dies in which another one remembers grains that have gone to a third.</summary>
    LostPlace,
}
