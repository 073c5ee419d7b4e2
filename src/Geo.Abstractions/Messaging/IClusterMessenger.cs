namespace Geo;

/// <summary>
/// Messages between clusters, as the protocols see them: any silo of the addressed cluster may answer. Over real connections this is
/// Geo.Messaging, in a simulation a network in virtual time.
/// </summary>
/// <remarks>
/// Trouble with the network is an outcome (<see cref="ReplyOutcome"/>), never an exception; a request always ends within its time-out.
/// A message may be lost, delayed or, after a reconnection, overtaken; messages with one partition key are otherwise kept in order.
/// </remarks>
public interface IClusterMessenger
{
    /// <summary>The cluster this messenger speaks for.</summary>
    ClusterId LocalCluster { get; }

    /// <summary>
    /// The other clusters as far as it knows them: those that it is set up to reach, whether they are there or not, and those that are
    /// linked. None where it cannot tell.
    /// </summary>
    IReadOnlyCollection<ClusterId> Others => [];

    /// <summary>
    /// The largest payload that it sends or takes, in bytes; of what is larger a request is refused and a message dropped. Without a limit
    /// of its own, the largest that there can be.
    /// </summary>
    int MaxMessageBytes => int.MaxValue;

    /// <summary>
    /// Raised when a link to a cluster comes up again, so that what was left open is settled at once. A hint: it may come late, or twice.
    /// </summary>
    event Action<ClusterId>? LinkUp;

    /// <summary>Raised when the last link to a cluster is gone, or is found to be. A hint, like <see cref="LinkUp"/>.</summary>
    event Action<ClusterId>? LinkDown;

    /// <summary>
    /// True while there is a link to a cluster, so that a request would be sent; whether it is answered is another matter.
    /// </summary>
    bool IsLinked(ClusterId cluster);

    /// <summary>Sends a request to a cluster and waits for the reply.</summary>
    /// <param name="to">The cluster; an unknown one is refused.</param>
    /// <param name="service">The service that handles the request there.</param>
    /// <param name="payload">The bytes; not to be changed until the returned task has ended, and not used after that.</param>
    /// <param name="options">Channel, partition key and time-out.</param>
    /// <param name="cancellationToken">
    /// Ends the wait with an <see cref="OperationCanceledException"/>; the request may still be handled.
    /// </param>
    ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default);

    /// <summary>Sends a message that expects no reply. Never waits.</summary>
    /// <param name="to">The cluster.</param>
    /// <param name="service">The service that handles the message there.</param>
    /// <param name="payload">The bytes; copied before the call returns.</param>
    /// <param name="options">Channel and partition key.</param>
    /// <returns>
    /// True when it was queued for sending; false when it was certainly dropped (not connected, queue full), which is counted.
    /// </returns>
    bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default);

    /// <summary>Registers the handler of a service until the returned registration is disposed.</summary>
    /// <exception cref="InvalidOperationException">The service has a handler already.</exception>
    IDisposable Handle(string service, ClusterMessageHandler handler);
}
