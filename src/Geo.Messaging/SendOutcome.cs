namespace Geo.Messaging;

/// <summary>What became of a message that was to be sent. All but <see cref="Queued"/> mean that it was certainly not sent.</summary>
public enum SendOutcome
{
    /// <summary>It waits in a lane or is on its way; it may still be lost with the link.</summary>
    Queued,

    /// <summary>The lane to the peer is full.</summary>
    Full,

    /// <summary>There is no link to the peer.</summary>
    NotConnected,

    /// <summary>The payload is larger than this node or the peer allows.</summary>
    TooLarge,
}
