namespace Geo.Messaging;

/// <summary>How the messages of a channel use its lanes.</summary>
public enum LaneUse
{
    /// <summary>
    /// Messages up to 64 KiB share one lane, where many leave with one system call; larger ones are striped over the others, which are
    /// opened once there are such messages and as many as the round trip and the rate call for.
    /// </summary>
    Adaptive,

    /// <summary>
    /// A message's partition key and its recipient choose the lane, for messages of any size (Partisan section 4.3). All lanes are opened
    /// with the link. For small messages this pays where a single lane's processing is the limit.
    /// </summary>
    ByKey,
}
