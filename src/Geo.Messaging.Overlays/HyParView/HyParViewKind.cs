namespace Geo.Messaging.Overlays;

/// <summary>The messages of HyParView. The numbers travel on the wire.</summary>
internal enum HyParViewKind : byte
{
    /// <summary>The sender joins by this peer.</summary>
    Join = 1,

    /// <summary>A peer has joined: links left to walk, the peer.</summary>
    ForwardJoin = 2,

    /// <summary>The sender wants to be a neighbour: 1 when it must be taken, 0 when only if there is room.</summary>
    Neighbour = 3,

    /// <summary>The sender has taken this peer as a neighbour.</summary>
    Accept = 4,

    /// <summary>The sender has no room.</summary>
    Reject = 5,

    /// <summary>The sender has given this neighbour up.</summary>
    Disconnect = 6,

    /// <summary>A sample of the origin's views: links left to walk, the origin, the way back, the sample.</summary>
    Shuffle = 7,

    /// <summary>The answer: the way that is left, the sample.</summary>
    ShuffleReply = 8,

    /// <summary>The sender holds this peer for its neighbour.</summary>
    Alive = 9,

    /// <summary>A peer has left: its name, its incarnation.</summary>
    Leave = 10,

    /// <summary>A peer is to leave: its name, the number of this wish.</summary>
    Expel = 11,
}
