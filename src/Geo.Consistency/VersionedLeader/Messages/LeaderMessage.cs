namespace Geo.Consistency;

/// <summary>What a message between the replicas of a volatile grain is. Numbers 1 to 3 were those of builds before these rules.</summary>
internal enum LeaderMessage : byte
{
    /// <summary>An instance's updates, possibly none, to the leader; the reply tells the latest version.</summary>
    Batch = 11,

    /// <summary>A candidate asks to lead.</summary>
    Ask = 12,

    /// <summary>A leader tells its log.</summary>
    Append = 13,

    /// <summary>The receiver is asked to ask: it is to lead, or has lost the memory with which it led.</summary>
    TakeOver = 14,
}
