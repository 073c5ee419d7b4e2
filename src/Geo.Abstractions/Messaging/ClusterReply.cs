namespace Geo;

/// <summary>How a request to another cluster ended.</summary>
public enum ReplyOutcome
{
    /// <summary>No reply came: the request may have been handled, or may still be.</summary>
    Unknown,

    /// <summary>The handler's reply arrived.</summary>
    Replied,

    /// <summary>The request certainly reached no handler.</summary>
    Refused,
}

/// <summary>The end of a request to another cluster.</summary>
public readonly record struct ClusterReply
{
    private ClusterReply(ReplyOutcome outcome, ReadOnlyMemory<byte> payload, string? reason) =>
        (Outcome, Payload, Reason) = (outcome, payload, reason);

    /// <summary>How the request ended.</summary>
    public ReplyOutcome Outcome { get; }

    /// <summary>The handler's reply, where <see cref="ReplyOutcome.Replied"/>; the caller's to keep.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>Why there is no reply, for people.</summary>
    public string? Reason { get; }

    /// <summary>The handler replied.</summary>
    public static ClusterReply Replied(ReadOnlyMemory<byte> payload) => new(ReplyOutcome.Replied, payload, null);

    /// <summary>The request was certainly not handled: not connected, queue full, no such service.</summary>
    /// <param name="reason">Why, for people.</param>
    public static ClusterReply Refused(string reason) => new(ReplyOutcome.Refused, default, reason);

    /// <summary>The request may have been handled: time-out, link lost, handler failed.</summary>
    /// <param name="reason">Why nothing is known, for people.</param>
    public static ClusterReply Unknown(string reason) => new(ReplyOutcome.Unknown, default, reason);
}
