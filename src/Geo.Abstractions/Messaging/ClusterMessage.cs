namespace Geo;

/// <summary>A message that arrived from another cluster.</summary>
/// <param name="From">The cluster that sent it.</param>
/// <param name="Service">The service it is for.</param>
/// <param name="Payload">Its bytes; valid until the handler's task ends.</param>
/// <param name="ExpectsReply">False for a one-way message, whose reply is thrown away.</param>
public readonly record struct ClusterMessage(ClusterId From, string Service, ReadOnlyMemory<byte> Payload, bool ExpectsReply)
{
    /// <summary>
    /// Set, as far as the messenger hears of it, when the requester no longer waits for the reply: cancelled, timed out or out of reach.
    /// Not set by default; a handler may carry on all the same. Not to be used after the handler's task has ended.
    /// </summary>
    public CancellationToken GivenUp { get; init; }
}

/// <summary>Handles the messages of one service and gives the reply.</summary>
/// <param name="message">The message.</param>
/// <param name="cancellationToken">Set when the messenger stops.</param>
/// <returns>The reply; ignored for a one-way message. An exception ends the request as unknown and is logged.</returns>
public delegate ValueTask<ReadOnlyMemory<byte>> ClusterMessageHandler(ClusterMessage message, CancellationToken cancellationToken);
