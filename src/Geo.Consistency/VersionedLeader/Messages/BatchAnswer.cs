namespace Geo.Consistency;

/// <summary>How a leader answers a batch.</summary>
internal enum BatchAnswer : byte
{
    /// <summary>The batch, or the first part of it, is decided; what the leader tells follows.</summary>
    Latest = 11,

    /// <summary>This replica does not lead; the highest term that it knows follows, whether it decided the batch before, and why.</summary>
    NotLeader = 12,

    /// <summary>
    /// Whether the batch was decided before can no longer be found out; it was not decided now. What the leader tells follows.
    /// </summary>
    Forgotten = 13,
}
