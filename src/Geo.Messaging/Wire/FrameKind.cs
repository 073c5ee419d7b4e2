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

    /// <summary>The sender closes the connection, a bulk lane once the other side has said so too; the payload says why.</summary>
    Goodbye = 9,

    /// <summary>The dialler has taken the connection into use: the first frame after the handshake.</summary>
    Ready = 10,

    /// <summary>
    /// A large message comes in pieces, on the channel's bulk lanes or on this one; this is its place in the order of its key. Its number
    /// is that of the pieces, the payload an <see cref="Announcement"/>.
    /// </summary>
    Announce = 11,

    /// <summary>The payload is a frame that is to be handled after the large message of this number.</summary>
    Follows = 12,

    /// <summary>A piece of a large message's payload; this frame's payload begins with a <see cref="PieceHeader"/>.</summary>
    Piece = 13,

    /// <summary>The number is how many bytes of pieces have arrived for this lane since the link began.</summary>
    Received = 14,

    /// <summary>The handler of the large message of this number begins, or it was refused: its bytes no longer count.</summary>
    Arrived = 15,

    /// <summary>
    /// The accepting side asks its dialler to open bulk lanes until there are so many; 0 is the answer of a dialler that cannot open one.
    /// </summary>
    OpenLanes = 16,

    /// <summary>The request reached no handler, for the peer has none for its service; the payload says so for people.</summary>
    NotServed = 17,
}
