namespace Geo.Testing;

/// <summary>What a history of updates and reads can promise short of linearizability.</summary>
[Flags]
public enum Guarantees
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>A read sees what its session has written to the object before.</summary>
    ReadYourWrites = 1,

    /// <summary>A read sees what an earlier read of the object in its session has seen.</summary>
    MonotonicReads = 2,

    /// <summary>Who sees an update sees before it those that its session had written to the object earlier.</summary>
    MonotonicWrites = 4,

    /// <summary>Who sees an update sees before it those of the object that its session had read earlier.</summary>
    WritesFollowReads = 8,

    /// <summary>
    /// A read sees all updates of its object that come before it in the order of cause and effect, over all objects: its session's earlier
    /// updates, those that its session has seen, and those before these; and it sees them in such an order.
    /// </summary>
    Causal = 16,

    /// <summary>All reads of an object see beginnings of one sequence.</summary>
    ConsistentPrefix = 32,

    /// <summary>All final reads of an object see the same sequence.</summary>
    Convergence = 64,

    /// <summary>Final reads see each update that returned, none twice, and nothing that was not written or has failed.</summary>
    ExactlyOnce = 128,

    /// <summary>The four guarantees of a session.</summary>
    Session = ReadYourWrites | MonotonicReads | MonotonicWrites | WritesFollowReads,
}
