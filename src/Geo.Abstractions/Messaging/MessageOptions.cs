namespace Geo;

/// <summary>How one message travels (Partisan section 3: channels, affinity).</summary>
/// <param name="Channel">The named channel; the default channel when null or unknown.</param>
/// <param name="PartitionKey">
/// Messages with one key keep their order. Without one they are spread over the connections of the channel and keep none (Partisan section
/// 4.3); on a monotonic channel all without one share the sender's own.
/// </param>
/// <param name="Timeout">
/// How long a request waits for its reply; the messenger's default when null, and 49 days when more. One-way messages ignore it.
/// </param>
/// <param name="Attempt">
/// How often the same message was sent before: 0 at first. A further try goes to another silo of the cluster, where one is connected, in
/// case the one before it hangs; it keeps no order with messages that have taken the first way.
/// </param>
/// <param name="GrainClass">The class of the grain that the message is about, for traces; it does not travel.</param>
/// <param name="Recipient">
/// What the message is for, such as a grain: it chooses the silo of the cluster; the partition key does when null. Messages with one
/// recipient go to one silo whoever sends them, and those with one partition key as well keep their order.
/// </param>
public readonly record struct MessageOptions(
    string? Channel = null, PartitionKey? PartitionKey = null, TimeSpan? Timeout = null, int Attempt = 0, string? GrainClass = null,
    PartitionKey? Recipient = null);
