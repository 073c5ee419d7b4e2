namespace Geo.Messaging.Amqp;

/// <summary>What became of the frames of a peer, and what was dropped and why.</summary>
/// <param name="Confirmed">Frames that the broker has put into the queue of every peer they were for.</param>
/// <param name="Refused">Frames that certainly did not reach one: it has no queue any more, or its queue is full.</param>
/// <param name="Unknown">Frames under way when the broker was lost: they may have arrived.</param>
/// <param name="Dropped">Frames that waited to be sent when the broker was lost: they certainly did not arrive.</param>
/// <param name="Full">Frames that were not taken since as much waited as the options allow.</param>
/// <param name="Malformed">Messages of the exchange that could not be read.</param>
/// <param name="TooManyPeers">Messages of peers beyond <see cref="AmqpOptions.MaxPeers"/>.</param>
/// <param name="Connections">How often the broker was reached.</param>
public sealed record AmqpCounts(
    long Confirmed, long Refused, long Unknown, long Dropped, long Full, long Malformed, long TooManyPeers, long Connections);
