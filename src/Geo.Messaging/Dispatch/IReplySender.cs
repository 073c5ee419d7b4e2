namespace Geo.Messaging;

/// <summary>Sends the ends of requests that were handled here.</summary>
internal interface IReplySender
{
    /// <summary>The largest payload that both sides take.</summary>
    int MaxBytes { get; }

    /// <summary>True while no further reply is sure to find room.</summary>
    bool IsFull { get; }

    /// <summary>Sends a reply, a refusal or a failure; copies the payload.</summary>
    SendOutcome Reply(FrameKind kind, ulong number, ReadOnlySpan<byte> payload);

    /// <summary>Sends a large reply from where it is.</summary>
    /// <param name="number">The request's number.</param>
    /// <param name="rented">In a pooled buffer, which it takes over and gives back.</param>
    SendOutcome ReplyInPlace(ulong number, ArraySegment<byte> rented);
}
