namespace Geo.Messaging;

/// <summary>Sends the ends of requests that were handled here.</summary>
internal interface IReplySender
{
    /// <summary>Sends a reply, a refusal or a failure; copies the payload.</summary>
    SendOutcome Reply(FrameKind kind, ulong number, ReadOnlySpan<byte> payload);

    /// <summary>Sends a large reply from where it is.</summary>
    /// <param name="number">The request's number.</param>
    /// <param name="rented">In a pooled buffer, which it takes over and gives back.</param>
    SendOutcome ReplyInPlace(ulong number, ArraySegment<byte> rented);
}
