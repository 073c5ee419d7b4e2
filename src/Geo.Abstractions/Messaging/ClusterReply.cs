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
    private readonly IDisposable? _buffer;

    private ClusterReply(ReplyOutcome outcome, ReadOnlyMemory<byte> payload, string? reason, IDisposable? buffer = null) =>
        (Outcome, Payload, Reason, _buffer) = (outcome, payload, reason, buffer);

    /// <summary>How the request ended.</summary>
    public ReplyOutcome Outcome { get; }

    /// <summary>The handler's reply, where <see cref="ReplyOutcome.Replied"/>; the caller's to keep.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>Why there is no reply, for people.</summary>
    public string? Reason { get; }

    /// <summary>True where it was refused because the cluster, which is there, has no such service.</summary>
    internal bool IsNotServed { get; private init; }

    /// <summary>The handler replied.</summary>
    public static ClusterReply Replied(ReadOnlyMemory<byte> payload) => new(ReplyOutcome.Replied, payload, null);

    /// <summary>The handler replied, and the reply lies in a buffer that can be used again.</summary>
    /// <param name="payload">The reply.</param>
    /// <param name="buffer">Takes the buffer back when it is disposed of, the first time that it is.</param>
    public static ClusterReply Replied(ReadOnlyMemory<byte> payload, IDisposable buffer) =>
        new(ReplyOutcome.Replied, payload, null, buffer);

    /// <summary>The request was certainly not handled: not connected, queue full, no such service.</summary>
    /// <param name="reason">Why, for people.</param>
    public static ClusterReply Refused(string reason) => new(ReplyOutcome.Refused, default, reason);

    /// <summary>The request came to a silo of the cluster, which has no such service.</summary>
    internal static ClusterReply NotServed(string reason) => Refused(reason) with { IsNotServed = true };

    /// <summary>The request may have been handled: time-out, link lost, handler failed.</summary>
    /// <param name="reason">Why nothing is known, for people.</param>
    public static ClusterReply Unknown(string reason) => new(ReplyOutcome.Unknown, default, reason);

    /// <summary>
    /// Lets the messenger use the buffer of a large <see cref="Payload"/> again, which spares it fresh memory. Who calls it must not use
    /// the payload, nor any part of it, afterwards. Nobody has to: what is not released is collected as everything else is.
    /// </summary>
    public void Release() => _buffer?.Dispose();
}
