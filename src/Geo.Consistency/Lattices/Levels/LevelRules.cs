namespace Geo.Consistency.Lattices;

/// <summary>Of what each level is composed, and what follows from that.</summary>
internal static class LevelRules
{
    private const LevelParts OfSessions =
        LevelParts.SeesReads | LevelParts.SeesWrites | LevelParts.FollowsReads | LevelParts.FollowsWrites;

    internal static LevelParts Parts(this ConsistencyLevel level) => level switch
    {
        ConsistencyLevel.SimpleEventual => LevelParts.None,
        ConsistencyLevel.MonotonicReads => LevelParts.SeesReads,
        ConsistencyLevel.ReadYourWrites => LevelParts.SeesWrites,
        ConsistencyLevel.MonotonicWrites => LevelParts.FollowsWrites,
        ConsistencyLevel.WritesFollowReads => LevelParts.FollowsReads,
        ConsistencyLevel.Pram => LevelParts.SeesReads | LevelParts.SeesWrites | LevelParts.FollowsWrites,
        ConsistencyLevel.Causal => OfSessions,
        ConsistencyLevel.ReadUncommitted => LevelParts.OneStamp,
        ConsistencyLevel.ReadCommitted => LevelParts.OneStamp | LevelParts.Buffers,
        ConsistencyLevel.ItemCut => LevelParts.OneStamp | LevelParts.Buffers | LevelParts.Repeats,
        _ => throw new GeoConfigurationException($"There is no consistency level {(int)level}."),
    };

    /// <summary>True where a session of the other level may touch grains of this one.</summary>
    internal static bool Includes(this ConsistencyLevel level, ConsistencyLevel other) =>
        (level.Parts() & other.Parts()) == other.Parts();

    /// <summary>
    /// Where grains of a level live. What sessions rely on across replicas needs replicas that show all up to a number, always.
    /// </summary>
    internal static LatticeDomain Domain(this ConsistencyLevel level) =>
        (level.Parts() & OfSessions) != 0 ? LatticeDomain.Ordered : LatticeDomain.Free;
}
