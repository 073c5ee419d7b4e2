namespace Geo.Messaging;

/// <summary>A message that arrived from a peer.</summary>
/// <param name="From">The peer.</param>
/// <param name="FromCluster">The cluster it speaks for; none for a client.</param>
/// <param name="Service">The service the message is for.</param>
/// <param name="Payload">Its bytes; valid until the handler's task ends.</param>
/// <param name="ExpectsReply">False for a one-way message, whose reply is thrown away.</param>
public readonly record struct PeerMessage(
    PeerId From, ClusterId FromCluster, string Service, ReadOnlyMemory<byte> Payload, bool ExpectsReply);

/// <summary>Handles the messages of one service and gives the reply.</summary>
/// <param name="message">The message.</param>
/// <param name="cancellationToken">
/// Set when the requester gives up, the link goes down or the node stops; not to be used after the handler's task has ended.
/// </param>
/// <returns>
/// The reply, copied when the task ends; ignored for a one-way message. An exception ends the request as unknown and is logged.
/// </returns>
/// <remarks>
/// The handler starts on the link's receive loop, in the order of arrival: it must not block, and hands longer work to a scheduler of
/// its own. What follows its first real await no longer holds the loop.
/// </remarks>
public delegate ValueTask<ReadOnlyMemory<byte>> PeerMessageHandler(PeerMessage message, CancellationToken cancellationToken);
