// Longer than most: the public face of messaging, much of it the guarantees of each operation.
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
    private readonly IWireTransport _transport;
    private readonly TlsCredentialFiles? _credentials;
    private readonly NodeContext _context;
    private readonly LinkTable _links;
    private readonly LinkAcceptor _acceptor;
    private readonly Lock _lock = new();
    private readonly Diallers _diallers;
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationTokenSource _closing = new();
    private HeartbeatTimer? _heartbeat;
    private IWireListener? _listener;
    private Task _accepting = Task.CompletedTask;
    private Task[] _dialling = [];
    private bool _started;
    private bool _stopped;

    /// <summary>Creates a node that does nothing until it is started.</summary>
    /// <param name="options">Who it is, where it listens, its limits.</param>
    /// <param name="time">The clock of time-outs, heartbeats and reconnections.</param>
    /// <param name="loggers">Where links, refusals and faults are logged.</param>
    public MessagingNode(MessagingOptions options, TimeProvider time, ILoggerFactory loggers)
        : this(options, time, loggers, null, WireVersions.Current)
    {
    }

    /// <summary>Creates a node with connections, unless that is null, and wire versions of the caller's.</summary>
    internal MessagingNode(
        MessagingOptions options, TimeProvider time, ILoggerFactory loggers, IWireTransport? transport, WireVersions versions)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(time);
        ArgumentNullException.ThrowIfNull(loggers);
        _options = options;

        // Later starts have higher numbers; the low bits keep two starts within a millisecond apart.
        var incarnation = (time.GetUtcNow().ToUnixTimeMilliseconds() << 16) | (long)Random.Shared.Next(1 << 16);
        var identity = new PeerIdentity(options.Peer, options.Cluster, options.ClusterInstance ?? options.Peer.Name, incarnation);
        var logger = new GuardedLogger(loggers.CreateLogger<MessagingNode>());
        _credentials = options.Tls is { } tls ? new TlsCredentialFiles(tls, time, logger) : null;
        _transport = transport ?? (_credentials is not null ? new TlsTransport(options.Tls!, _credentials) : SocketTransport.Instance);
        var accounts = new PeerAccounts(options);
        _links = new LinkTable(identity, new EventFeed<MembershipChange>(() => MembersChanged, logger), accounts.Connections);
        _context = new NodeContext(
            options,
            new ChannelTable(options, logger),
            time,
            new ServiceHandlers(),
            MessagingMetrics.Of(options.Peer, () => _links.Links, () => Expected, accounts),
            new BurstWatch(time),
            accounts,
            logger);
        var admission = new Admission(
            _context, identity, new EventFeed<LinkRefusal>(() => LinkRefused, logger), refusal => DialRefused?.Invoke(refusal));
        _acceptor = new LinkAcceptor(_context, identity, versions, _links, admission);
        _diallers = new Diallers((address, cluster) =>
        {
            var opener = new ConnectionOpener(_context, identity, versions, _transport, admission, address, cluster);
            return new LinkDialler(_context, opener, _links, admission, address, cluster);
        });
        Messages = new LinkMessages(_context);
    }

    /// <summary>This peer's name.</summary>
    public PeerId Peer => _options.Peer;

    /// <summary>The cluster this peer speaks for; none for a client.</summary>
    public ClusterId Cluster => _options.Cluster;

    /// <summary>Where this node listens, with the actual port; null before it has started or when it only dials.</summary>
    public PeerAddress? ListeningOn => _listener?.Address;

    /// <summary>The peers that this node has links to, in no order: a snapshot.</summary>
    public IReadOnlyList<Member> Members => [.. _links.Links.Where(link => link.IsOpen).Select(link => link.Member)];

    /// <summary>
    /// The peer that gets what is sent to a name: <see cref="PeerId"/> says which, where several bear it. Null when there is no link with
    /// one.
    /// </summary>
    public Member? FindMember(PeerId peer) => _links.Find(peer) is { IsOpen: true } link ? link.Member : null;

    /// <summary>The links of this node that are up, with how each does; in no order: a snapshot.</summary>
    public IReadOnlyList<LinkStatus> LinkStatuses => [.. _links.Links.Where(link => link.IsOpen).Select(link => link.Status)];

    /// <summary>When the certificate that this node shows to others ends; null without TLS.</summary>
    /// <exception cref="GeoConfigurationException">The TLS files never were sound; the message names the file.</exception>
    public DateTimeOffset? CertificateEnds => _credentials?.Current().Own.TargetCertificate.NotAfter.ToUniversalTime();

    /// <summary>Set when the node leaves or is disposed.</summary>
    public CancellationToken Stopping => _stopping.Token;

    /// <summary>Raised after a link came up or went down, one at a time and in order. Handlers must not block.</summary>
    public event Action<MembershipChange>? MembersChanged;

    /// <summary>Raised when a handshake was refused by either side, and logged; dialling goes on all the same.</summary>
    public event Action<LinkRefusal>? LinkRefused;

    /// <summary>Checks the options and starts listening, if it is to.</summary>
    /// <exception cref="GeoConfigurationException">
    /// An option is out of range, a TLS file cannot be used, the port is in use, or it would listen beyond the machine unprotected.
    /// </exception>
    public ValueTask StartAsync(CancellationToken cancellationToken = default)
    {
        MessagingOptionsCheck.Check(_options);
        cancellationToken.ThrowIfCancellationRequested();
        _credentials?.Current();
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_stopped, this);
            if (_started)
            {
                throw new InvalidOperationException($"The messaging node of {Peer} has been started already.");
            }

            if (_options.ListenOn is { } address)
            {
                _listener = _transport.Listen(address);
                MessagingLog.Listening(_context.Logger, Peer, _listener.Address);
                _accepting = Task.Run(() => _acceptor.RunAsync(_listener, _closing.Token), CancellationToken.None);
            }

            _heartbeat = new HeartbeatTimer(_context, _links);
            _started = true;
        }

        return ValueTask.CompletedTask;
    }

    /// <summary>Dials a peer and keeps dialling, with jittered exponential back-off, whenever no link to it is up. Never waits.</summary>
    /// <param name="address">Where a peer listens; dialling an address twice changes nothing.</param>
    /// <param name="cluster">The cluster it must speak for, or be refused; none to take any.</param>
    /// <exception cref="GeoConfigurationException">The address is beyond this machine and the link would be unprotected.</exception>
    /// <exception cref="InvalidOperationException">The node has not been started.</exception>
    public void Connect(PeerAddress address, ClusterId cluster = default) => DiallerFor(address, cluster);

    /// <summary>Dials as <see cref="Connect"/> does and waits until the link is up.</summary>
    /// <param name="address">Where the peer listens.</param>
    /// <param name="cluster">The cluster it must speak for; none to take any.</param>
    /// <param name="cancellationToken">Ends the wait, not the dialling.</param>
    /// <returns>The peer found there.</returns>
    /// <exception cref="GeoConfigurationException">One side refused the other for a reason that a new attempt does not cure.</exception>
    /// <exception cref="GeoUnavailableException">
    /// The node stopped, or the address was disconnected, before the peer was reached.
    /// </exception>
    public Task<PeerId> JoinAsync(PeerAddress address, ClusterId cluster = default, CancellationToken cancellationToken = default) =>
        DiallerFor(address, cluster).Progress.WhenUpAsync().WaitAsync(cancellationToken);

    /// <summary>Stops dialling an address; a link that is up stays up.</summary>
    public void Disconnect(PeerAddress address)
    {
        ArgumentNullException.ThrowIfNull(address);
        lock (_lock)
        {
            _diallers.Stop(address);
        }
    }

    /// <summary>
    /// Closes the link with a peer once its queued messages are out. Whoever dials the other dials on: see <see cref="Disconnect"/>.
    /// </summary>
    /// <param name="peer">The peer; no link with it is no fault.</param>
    /// <returns>Ends when the link has.</returns>
    public Task DisconnectAsync(PeerId peer) =>
        _links.Find(peer)?.LeaveAsync($"{Peer} closes the link with {peer}", _options.DeadLinkAfter) ?? Task.CompletedTask;

    /// <summary>
    /// Leaves the network: stops listening and dialling, lets the queued messages out, tells the peers and closes the links.
    /// </summary>
    /// <param name="cancellationToken">Stops waiting for the queues; what is left in them is lost.</param>
    public async Task LeaveAsync(CancellationToken cancellationToken = default)
    {
        await StopOpeningAsync();
        var links = _links.Close();
        try
        {
            await Task.WhenAll(links.Select(link => link.LeaveAsync($"{Peer} leaves", _options.DeadLinkAfter)))
                .WaitAsync(cancellationToken);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            EndAll(links);
        }
    }

    /// <summary>Sends a message that expects no reply. Never waits.</summary>
    /// <param name="to">The peer.</param>
    /// <param name="service">The service there, at most 255 bytes of UTF-8.</param>
    /// <param name="payload">The bytes; copied before the call returns.</param>
    /// <param name="options">Channel and partition key.</param>
    public SendOutcome TrySend(PeerId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        Messages.TrySend(to, _links.Find(to), service, payload, options);

    /// <summary>Sends a message that expects no reply, waiting for room in its lane as long as the link is up.</summary>
    /// <param name="to">The peer.</param>
    /// <param name="service">The service there.</param>
    /// <param name="payload">The bytes; not to be changed before the call ends.</param>
    /// <param name="options">Channel and partition key.</param>
    /// <param name="cancellationToken">Ends the wait; the message is then certainly not sent.</param>
    /// <returns>Any outcome but <see cref="SendOutcome.Full"/>.</returns>
    public ValueTask<SendOutcome> SendAsync(
        PeerId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) =>
        Messages.SendAsync(to, _links.Find(to), service, payload, options, cancellationToken);

    /// <summary>Sends a message and forgets it (Partisan section 5.2): what cannot be queued is dropped and counted.</summary>
    public void Cast(PeerId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) =>
        TrySend(to, service, payload, options);

    /// <summary>Sends a request and waits for the reply.</summary>
    /// <param name="to">The peer.</param>
    /// <param name="service">The service there.</param>
    /// <param name="payload">
    /// The bytes; not to be changed until the returned task has ended, however it ends, and not used after that. Large ones are sent from
    /// where they are.
    /// </param>
    /// <param name="options">Channel, partition key and time-out.</param>
    /// <param name="cancellationToken">
    /// Ends the wait with an <see cref="OperationCanceledException"/> and asks the handler to stop; the request may still be handled.
    /// </param>
    /// <returns>
    /// Replied; Refused at once when it was certainly not sent (no link, queue full, too large) or reached no handler; Unknown when the
    /// time-out passed, the link broke or the handler failed. To be awaited once.
    /// </returns>
    public ValueTask<ClusterReply> RequestAsync(
        PeerId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) =>
        Messages.RequestAsync(to, _links.Find(to), service, payload, options, cancellationToken);

    /// <summary>Registers the handler of a service until the returned registration is disposed.</summary>
    /// <exception cref="ArgumentException">The service's name is empty or longer than 255 bytes of UTF-8.</exception>
    /// <exception cref="InvalidOperationException">The service has a handler already.</exception>
    public IDisposable Handle(string service, PeerMessageHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return _context.Handlers.Add(new ServiceHandler(service, handler, clustersOnly: false));
    }

    /// <summary>Closes everything at once: requests in flight end as unknown, queued messages are lost.</summary>
    public async ValueTask DisposeAsync()
    {
        await StopOpeningAsync();
        var links = _links.Close();
        EndAll(links);
        await Task.WhenAll(links.Select(link => link.Ended).Concat(_dialling));
        _context.Bursts.Dispose();
        _context.Metrics.Dispose();
    }

    /// <summary>The clock.</summary>
    internal TimeProvider Time => _context.Time;

    internal int MaxMessageBytes => _options.MaxMessageBytes;

    /// <summary>Ends when an address that is dialled has been tried once, or is dialled no more.</summary>
    internal Task WhenTriedAsync(PeerAddress address)
    {
        lock (_lock)
        {
            return _diallers.Find(address)?.Progress.Tried ?? Task.CompletedTask;
        }
    }

    /// <summary>The other clusters that it is to have links with, for its metrics.</summary>
    internal IReadOnlyList<ClusterId> Expected { get; set; } = [];

    /// <summary>The links that are up.</summary>
    internal PeerLink[] Links => _links.Links;

    /// <summary>Sends on the links.</summary>
    internal LinkMessages Messages { get; }

    /// <summary>Raised when a dial is refused, before it counts as tried. Its listeners must not block.</summary>
    internal event Action<LinkRefusal>? DialRefused;

    internal IDisposable HandleClusters(string service, PeerMessageHandler handler) =>
        _context.Handlers.Add(new ServiceHandler(service, handler, clustersOnly: true));

    private void EndAll(PeerLink[] links) => Array.ForEach(links, link => link.End($"{Peer} stops"));

    private LinkDialler DiallerFor(PeerAddress address, ClusterId cluster)
    {
        ArgumentNullException.ThrowIfNull(address);
        MessagingOptionsCheck.CheckProtected(_options, address, "dial");
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_stopped, this);
            if (!_started)
            {
                throw new InvalidOperationException($"Start the messaging node of {Peer} before it dials {address}.");
            }

            return _diallers.Find(address) ?? _diallers.Start(address, cluster, _closing.Token);
        }
    }

    private async Task StopOpeningAsync()
    {
        lock (_lock)
        {
            if (_stopped)
            {
                return;
            }

            _stopped = true;
            _dialling = _diallers.Running;
        }

        _heartbeat?.Dispose();
        await _closing.CancelAsync();
        _listener?.Dispose();
        _ = TellStoppingAsync();
        await _accepting;
    }

    // Users' callbacks: nobody waits for them, and what they throw ends here.
    private async Task TellStoppingAsync()
    {
        try
        {
            await _stopping.CancelAsync();
        }
#pragma warning disable CA1031 // As above.
        catch (Exception e)
#pragma warning restore CA1031
        {
            MessagingLog.EventHandlerFailed(_context.Logger, e);
        }
    }
}
