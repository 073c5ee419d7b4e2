namespace Geo.Messaging.Amqp;

/// <summary>A message for the broker.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Epoch">Which of this peer's queues was its present one when the message was made.</param>
/// <param name="To">The queue it is for; null for all peers.</param>
/// <param name="Body">Its bytes, the envelope included.</param>
internal sealed record Outgoing(EnvelopeKind Kind, long Epoch, AmqpLink? To, ReadOnlyMemory<byte> Body)
{
    /// <summary>Ends when the message has been written, or dropped.</summary>
    public TaskCompletionSource? Left { get; init; }

    /// <summary>True for the last one before the broker is left.</summary>
    public bool IsLast { get; init; }

    /// <summary>True when the broker has given it back, since nobody has the queue it is for.</summary>
    public bool IsReturned { get; set; }

    /// <summary>When it was written.</summary>
    public TimeSpan Sent { get; set; }
}
