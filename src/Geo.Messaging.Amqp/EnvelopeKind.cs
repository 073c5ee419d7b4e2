namespace Geo.Messaging.Amqp;

/// <summary>What a message between peers is. The numbers travel on the wire.</summary>
internal enum EnvelopeKind : byte
{
    /// <summary>The sender is there.</summary>
    Presence = 1,

    /// <summary>A frame of the overlay.</summary>
    Frame = 2,

    /// <summary>The sender is no longer there, or wants no link with the receiver.</summary>
    Goodbye = 3,

    /// <summary>The receiver's queue was full and it has missed something: it is to begin anew.</summary>
    CutOff = 4,
}
