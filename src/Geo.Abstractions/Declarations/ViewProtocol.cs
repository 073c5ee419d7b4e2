namespace Geo;

/// <summary>The protocol that keeps the versions of a grain's state consistent (GEO Table 1).</summary>
public enum ViewProtocol
{
    /// <summary>None: the grain uses the basic API and manages its own state.</summary>
    None,

    /// <summary>The only instance holds the only copy: every update is confirmed at once.</summary>
    Local,

    /// <summary>Batching compare-and-swap over a conditional store (GEO section 3.4).</summary>
    BatchedCas,

    /// <summary>Updates ordered by a leader instance, in memory (GEO section 3.5).</summary>
    VersionedLeader,

    /// <summary>Replicas of a lattice that merge later what they have accepted alone (Anna, ICDE 2018).</summary>
    CoordinationFree,

    /// <summary>A protocol of the application (<see cref="GrainDeclaration.OwnProtocol"/>).</summary>
    Own,
}
