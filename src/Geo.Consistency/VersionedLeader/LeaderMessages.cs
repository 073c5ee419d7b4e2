namespace Geo.Consistency;

/// <summary>What an instance sends another one.</summary>
internal enum LeaderMessage : byte
{
    /// <summary>A follower's batch, possibly empty, to the leader; the reply tells the latest version.</summary>
    Batch = 1,

    /// <summary>A starting leader asks for the version known.</summary>
    Ask = 2,

    /// <summary>The leader tells a new version.</summary>
    Tell = 3,
}

/// <summary>How a leader answers a batch.</summary>
internal enum LeaderAnswer : byte
{
    /// <summary>The batch is decided; the latest version follows.</summary>
    Latest = 1,

    /// <summary>Nothing was sent, and the follower knows the latest version.</summary>
    Unchanged = 2,

    /// <summary>This instance does not lead.</summary>
    NotLeader = 3,

    /// <summary>
    /// Whether the batch was applied before can no longer be found out; it was not applied now. The latest version follows.
    /// </summary>
    OutcomeLost = 4,
}
