namespace Geo.Consistency;

/// <summary>How a leader answers a batch.</summary>
internal enum BatchAnswer : byte
{
    /// <summary>The batch, or the first part of it, is decided; what the leader tells follows.</summary>
    Latest = 11,

    /// <summary>This replica does not lead; the highest term that it knows follows, and why.</summary>
    NotLeader = 12,

    /// <summary>
    /// Whether the batch was applied before can no longer be found out; it was not applied now. What the leader tells follows.
    /// </summary>
    OutcomeLost = 13,
}
