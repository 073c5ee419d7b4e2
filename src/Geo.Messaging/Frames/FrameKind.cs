namespace Geo.Messaging;

/// <summary>What a frame is. The numbers travel on the wire.</summary>
internal enum FrameKind : byte
{
    /// <summary>A message that expects no reply.</summary>
    OneWay = 1,

    /// <summary>A message that expects a reply under its number.</summary>
    Request = 2,

    /// <summary>The handler's reply.</summary>
    Reply = 3,

    /// <summary>The request certainly reached no handler; the payload says why.</summary>
    Refused = 4,

    /// <summary>The handler failed; the payload says why.</summary>
    Failed = 5,

    /// <summary>The requester no longer waits.</summary>
    Cancel = 6,

    /// <summary>A probe; its number is the sender's clock.</summary>
    Ping = 7,

    /// <summary>The answer to a probe, with its number.</summary>
    Pong = 8,

    /// <summary>The sender closes the connection; the payload says why.</summary>
    Goodbye = 9,

    /// <summary>The dialler has taken the connection into use: the first frame after the handshake.</summary>
    Ready = 10,

    /// <summary>A piece of a frame that is too large for one; its number is the same for all of them.</summary>
    Fragment = 11,

    /// <summary>
    /// A large message comes in pieces on the channel's bulk lanes; this is its place in the order of its key. Its number is that of the
    /// pieces, the payload a <see cref="BulkAnnouncement"/>. This kind and those below from wire version 2 on.
    /// </summary>
    Announce = 12,

    /// <summary>The payload is a frame that is to be handled after the large message of this number.</summary>
    Follows = 13,

    /// <summary>A piece of a large message's payload, on a bulk lane; the payload begins with a <see cref="BulkPiece"/>.</summary>
    Piece = 14,

    /// <summary>The number is how many bytes of pieces have arrived on this channel's bulk lanes since the link began.</summary>
    Received = 15,

    /// <summary>The large message of this number has been handed over, and what followed it.</summary>
    Arrived = 16,

    /// <summary>
    /// The accepting side asks its dialler to open bulk lanes until there are so many; 0 is the answer of a dialler that cannot open one.
    /// </summary>
    OpenLanes = 17,
}
