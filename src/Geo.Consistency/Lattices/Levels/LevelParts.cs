namespace Geo.Consistency.Lattices;

/// <summary>What levels are composed of.</summary>
[Flags]
internal enum LevelParts
{
    /// <summary>Simple eventual consistency.</summary>
    None = 0,

    /// <summary>A read waits until what the session has read is here.</summary>
    SeesReads = 1,

    /// <summary>A read waits until what the session has written is here.</summary>
    SeesWrites = 2,

    /// <summary>Replicas show an update after what its session had read.</summary>
    FollowsReads = 4,

    /// <summary>Replicas show an update after what its session had written.</summary>
    FollowsWrites = 8,

    /// <summary>A transaction has one stamp.</summary>
    OneStamp = 16,

    /// <summary>A transaction's writes wait for its commit.</summary>
    Buffers = 32,

    /// <summary>A transaction keeps what it has read.</summary>
    Repeats = 64,
}
