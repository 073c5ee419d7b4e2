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
/// The handlers of one connection start one after another, in the order of arrival, on the thread that received: one that blocks or
/// computes holds up those behind it until its first real await, so that longer work belongs on a scheduler of its own. The connection
/// itself waits no longer than 10 ms for it: replies and probes are then received elsewhere, and what was sent is let out. When the link
/// has ended, and a new one is up, the new one waits no longer than 100 ms: what waits behind the handler is dropped and counted, so that
/// handlers still start in the order in which their messages arrived, and the handler goes on beside those of the new link.
/// </remarks>
public delegate ValueTask<ReadOnlyMemory<byte>> PeerMessageHandler(PeerMessage message, CancellationToken cancellationToken);
