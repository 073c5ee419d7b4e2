using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>
/// A peer of the network: listens, dials, keeps links up and carries one-way messages and requests over them. A link serves both
/// directions whichever side dialled it, so a pair needs to be reachable in one direction only.
/// </summary>
/// <remarks>
/// Network trouble is an outcome, never an exception. Messages with one partition key and recipient arrive in the order in which they
/// were sent, at most once, while a link lasts; a link that breaks loses what was in it.
/// </remarks>
public sealed class MessagingNode : IAsyncDisposable
{
    private readonly MessagingOptions _options;

    /// <summary>Creates a node that does nothing until it is started.</summary>
    /// <param name="options">Who it is, where it listens, its limits.</param>
    /// <param name="time">The clock of time-outs, heartbeats and reconnections.</param>
    /// <param name="loggers">Where links, refusals and faults are logged.</param>
    public MessagingNode(MessagingOptions options, TimeProvider time, ILoggerFactory loggers)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(time);
        ArgumentNullException.ThrowIfNull(loggers);
        _options = options;
    }

    /// <summary>This peer's name.</summary>
    public PeerId Peer => _options.Peer;

    /// <summary>The cluster this peer speaks for; none for a client.</summary>
    public ClusterId Cluster => _options.Cluster;

    /// <summary>Where this node listens, with the actual port; null before it has started or when it only dials.</summary>
    public PeerAddress? ListeningOn { get; private set; }

    /// <summary>The peers that this node has links to, in no order: a snapshot.</summary>
    public IReadOnlyList<Member> Members { get; private set; } = [];

    /// <summary>Raised after a link came up or went down, one at a time and in order. Handlers must not block.</summary>
    public event Action<MembershipChange>? MembersChanged;

    /// <summary>Raised when a handshake was refused by either side, and logged; dialling goes on all the same.</summary>
    public event Action<LinkRefusal>? LinkRefused;

    /// <summary>Checks the options and starts listening, if it is to.</summary>
    /// <exception cref="GeoConfigurationException">An option is out of range, the port is in use, or it would listen beyond the machine unprotected.</exception>
    public ValueTask StartAsync(CancellationToken cancellationToken = default) => throw Next();

    /// <summary>Dials a peer and keeps dialling, with jittered exponential back-off, whenever no link to it is up. Never waits.</summary>
    /// <param name="address">Where a peer listens; dialling an address twice changes nothing.</param>
    /// <param name="cluster">The cluster it must speak for, or be refused; none to take any.</param>
    /// <exception cref="GeoConfigurationException">The address is beyond this machine and the link would be unprotected.</exception>
    public void Connect(PeerAddress address, ClusterId cluster = default) => throw Next();

    /// <summary>Dials as <see cref="Connect"/> does and waits until the link is up.</summary>
    /// <param name="address">Where the peer listens.</param>
    /// <param name="cluster">The cluster it must speak for; none to take any.</param>
    /// <param name="cancellationToken">Ends the wait, not the dialling.</param>
    /// <returns>The peer found there.</returns>
    /// <exception cref="GeoConfigurationException">One side refused the other for a reason that a new attempt does not cure.</exception>
    public Task<PeerId> JoinAsync(PeerAddress address, ClusterId cluster = default, CancellationToken cancellationToken = default) =>
        throw Next();

    /// <summary>Stops dialling an address; a link that is up stays up.</summary>
    public void Disconnect(PeerAddress address) => throw Next();

    /// <summary>Leaves the network: stops listening and dialling, lets the queued messages out, tells the peers and closes the links.</summary>
    /// <param name="cancellationToken">Stops waiting for the queues; what is left in them is lost.</param>
    public Task LeaveAsync(CancellationToken cancellationToken = default) => throw Next();

    /// <summary>Sends a message that expects no reply. Never waits.</summary>
    /// <param name="to">The peer.</param>
    /// <param name="service">The service there, at most 255 bytes of UTF-8.</param>
    /// <param name="payload">The bytes; copied before the call returns.</param>
    /// <param name="options">Channel and partition key.</param>
    public SendOutcome TrySend(PeerId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) => throw Next();

    /// <summary>Sends a message that expects no reply, waiting for room in its lane as long as the link is up.</summary>
    /// <param name="to">The peer.</param>
    /// <param name="service">The service there.</param>
    /// <param name="payload">The bytes; not to be changed before the call ends.</param>
    /// <param name="options">Channel and partition key.</param>
    /// <param name="cancellationToken">Ends the wait; the message is then certainly not sent.</param>
    /// <returns>Any outcome but <see cref="SendOutcome.Full"/>.</returns>
    public ValueTask<SendOutcome> SendAsync(
        PeerId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default, CancellationToken cancellationToken = default) =>
        throw Next();

    /// <summary>Sends a message and forgets it (Partisan section 5.2): what cannot be queued is dropped and counted.</summary>
    public void Cast(PeerId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        TrySend(to, service, payload, options);

    /// <summary>Sends a request and waits for the reply.</summary>
    /// <param name="to">The peer.</param>
    /// <param name="service">The service there.</param>
    /// <param name="payload">The bytes; copied before the call returns.</param>
    /// <param name="options">Channel, partition key and time-out.</param>
    /// <param name="cancellationToken">
    /// Ends the wait with an <see cref="OperationCanceledException"/> and asks the handler to stop; the request may still be handled.
    /// </param>
    /// <returns>
    /// Replied; Refused at once when it was certainly not sent (no link, queue full, too large, no such service there); Unknown when the
    /// time-out passed, the link broke or the handler failed. To be awaited once.
    /// </returns>
    public ValueTask<ClusterReply> RequestAsync(
        PeerId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default, CancellationToken cancellationToken = default) =>
        throw Next();

    /// <summary>Registers the handler of a service until the returned registration is disposed.</summary>
    /// <exception cref="InvalidOperationException">The service has a handler already.</exception>
    public IDisposable Handle(string service, PeerMessageHandler handler) => throw Next();

    /// <summary>Closes everything at once: requests in flight end as unknown, queued messages are lost.</summary>
    public ValueTask DisposeAsync()
    {
        _ = (MembersChanged, LinkRefused, ListeningOn = null, Members = []);
        return default;
    }

    private static NotSupportedException Next() => new("The node's links come with the next change; this one settles the public surface.");
}
