namespace Geo.Messaging.Amqp;

/// <summary>What the broker made of a message.</summary>
internal enum PublishOutcome
{
    /// <summary>It is in the queue of every peer that it was for.</summary>
    Confirmed,

    /// <summary>At least one of them has no queue any more.</summary>
    Returned,

    /// <summary>The queue of at least one of them is full.</summary>
    Rejected,

    /// <summary>The broker was lost before it was sent.</summary>
    NotSent,

    /// <summary>The broker was lost before it could tell.</summary>
    Unknown,
}
