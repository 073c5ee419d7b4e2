namespace Geo.Directory;

/// <summary>What happened to a single-instance grain. The numbers travel between the silos of a cluster: they never change.</summary>
internal enum MoveKind : byte
{
    /// <summary>It was nobody's, and a silo has it now, as its owner.</summary>
    Acquired = 1,

    /// <summary>Its silo was lost, and another one has it now.</summary>
    TakenOver = 2,

    /// <summary>Its instance went from one silo of the cluster to another.</summary>
    Migrated = 3,

    /// <summary>It was begun while not all other clusters answered.</summary>
    BecameDoubtful = 4,

    /// <summary>It was in doubt, and is owned now, where it is.</summary>
    Resolved = 5,

    /// <summary>An operator had another cluster take it.</summary>
    MovedAway = 6,

    /// <summary>Its instance has ended, and it is nobody's.</summary>
    Released = 7,

    /// <summary>Its instance was a duplicate, and has ended for the sake of another cluster's.</summary>
    GaveWay = 8,

    /// <summary>The lease under which a silo had it was over: another silo may have taken it.</summary>
    Lost = 9,
}
