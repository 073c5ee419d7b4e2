namespace Geo.Experiments.Messaging.Plain;

/// <summary>What a message of the socket program is.</summary>
internal enum FrameKind
{
    /// <summary>To be sent back.</summary>
    Request,

    /// <summary>What was sent back.</summary>
    Reply,

    /// <summary>To be counted.</summary>
    OneWay,

    /// <summary>Asks for the count.</summary>
    Count,
}
