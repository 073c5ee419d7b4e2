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
}
