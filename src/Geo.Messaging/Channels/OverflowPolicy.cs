namespace Geo.Messaging;

/// <summary>What happens to a message that finds its lane full. Whatever is dropped or refused is counted.</summary>
public enum OverflowPolicy
{
    /// <summary>It is refused, and the caller told; <see cref="MessagingNode.SendAsync"/> waits for room.</summary>
    Refuse,

    /// <summary>As <see cref="Refuse"/>, but a request waits for room, at most as long as its time-out.</summary>
    Wait,

    /// <summary>The message that has waited longest gives way. For monotonic channels only.</summary>
    DropOldest,
}
