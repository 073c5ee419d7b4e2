using Microsoft.Extensions.Logging;

namespace Geo.Messaging.Overlays;

/// <summary>
/// A peer of an overlay: runs the membership strategy that the options name over a transport, carries broadcasts over the links that it
/// keeps, and messages to peers without a link (Partisan ATC'19 sections 3 and 5). The same for every overlay and every transport.
/// </summary>
/// <remarks>
/// <para>
/// A broadcast is delivered to every member, the sender included, at most once and in the order in which its sender sent it; as long as
/// the overlay stays connected, exactly once. A message to one peer is delivered at most once and in its sender's order. It is sent again,
/// by other ways, until the peer acknowledges it, so that a change of links does not lose it; what nobody acknowledges within
/// <see cref="RouterOptions.DeliveryTimeout"/> is given up and counted: it may have been delivered. A peer that starts anew meanwhile
/// counts as another: it may be delivered what its former self was delivered just before.
/// </para>
/// <para>Safe to use from any thread. Events are raised one at a time and in order; their handlers must not block.</para>
/// </remarks>
public sealed class OverlayNode : IAsyncDisposable
{
    private readonly OverlayOptions _options;
    private readonly IOverlayTransport _transport;
    private readonly TimeProvider _time;
    private readonly Random _random;
    private readonly ILogger _logger;
    private readonly OverlayCatalog _catalog;
    private readonly OverlayMailbox _mailbox;
    private readonly Lock _lock = new();
    private long _started;
    private IDisposable? _listening;
    private ITimer? _timer;
    private OverlayMetrics? _metrics;
    private int _tickWaits;
    private OverlaySession? _session;
    private IReadOnlyList<OverlayMember> _members = [];
    private IReadOnlyList<PeerId> _neighbours = [];
    private long _tooMany;
    private bool _disposed;

    /// <summary>Creates a peer that does nothing until it is started.</summary>
    /// <param name="options">The overlay and its limits.</param>
    /// <param name="transport">What it runs over.</param>
    /// <param name="time">The clock of ticks and time-outs.</param>
    /// <param name="random">The only source of chance; used by this peer alone.</param>
    /// <param name="logger">Where faults are logged.</param>
    /// <param name="catalog">The overlays that can be named; <see cref="OverlayCatalog.BuiltIn"/> when null.</param>
    public OverlayNode(
        OverlayOptions options, IOverlayTransport transport, TimeProvider time, Random random, ILogger<OverlayNode> logger,
        OverlayCatalog? catalog = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(transport);
        ArgumentNullException.ThrowIfNull(time);
        ArgumentNullException.ThrowIfNull(random);
        ArgumentNullException.ThrowIfNull(logger);
        (_options, _transport, _time, _random, _logger) = (options, transport, time, random, logger);
        _catalog = catalog ?? OverlayCatalog.BuiltIn;
        _mailbox = new OverlayMailbox(
            options.WaitingFrames, options.WaitingBytes, e => OverlayLog.ActionFailed(_logger, e, Peer));
    }

    /// <summary>Raised when the members or the neighbours have changed.</summary>
    public event Action? MembershipChanged;

    /// <summary>Raised for each message that arrives, and for this peer's own broadcasts.</summary>
    public event Action<OverlayMessage>? MessageReceived;

    /// <summary>The local peer.</summary>
    public PeerId Peer => _transport.Peer;

    /// <summary>
    /// The members as known here, this one included: all of them or, where the overlay has partial views, some. Empty once it has left.
    /// </summary>
    public IReadOnlyList<OverlayMember> Members => Volatile.Read(ref _members);

    /// <summary>
    /// The members with a link to this one that have told it how far broadcasts have come, by name. A peer that joins hears all that is
    /// broadcast after its first neighbour is here.
    /// </summary>
    public IReadOnlyList<PeerId> Neighbours => Volatile.Read(ref _neighbours);

    /// <summary>What was dropped since the peer last joined.</summary>
    public OverlayCounts Counts =>
        Volatile.Read(ref _session)?.Counts(Volatile.Read(ref _tooMany))
            ?? new OverlayCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, new PlumtreeCounts());

    /// <summary>Creates a peer that runs over the links of a messaging node.</summary>
    /// <param name="node">The node, started before the overlay is.</param>
    /// <param name="options">The overlay and its limits.</param>
    /// <param name="time">The clock of ticks and time-outs.</param>
    /// <param name="loggers">Where faults are logged.</param>
    /// <param name="catalog">The overlays that can be named; <see cref="OverlayCatalog.BuiltIn"/> when null.</param>
    public static OverlayNode Over(
        MessagingNode node, OverlayOptions options, TimeProvider time, ILoggerFactory loggers, OverlayCatalog? catalog = null)
    {
        ArgumentNullException.ThrowIfNull(node);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(loggers);
        var logger = loggers.CreateLogger<OverlayNode>();
        var transport = new MessagingOverlayTransport(node, options.Advertise, options.Channel, logger);
        return new OverlayNode(options, transport, time, new Random(), logger, catalog);
    }

    /// <summary>Becomes the first member of an overlay of its own, which others can join, or which joins that of a contact.</summary>
    /// <exception cref="GeoConfigurationException">An option is out of range, or no overlay has the name.</exception>
    public void Start()
    {
        _options.Check(Peer);
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (_timer is not null)
            {
                throw new InvalidOperationException($"The overlay of {Peer} has been started already.");
            }

            _started = _time.GetTimestamp();
            OpenSession(0);
            _metrics = new OverlayMetrics(this, _options.Overlay);
            _timer = _time.CreateTimer(static node => ((OverlayNode)node!).PostTick(), this, _options.TickInterval, _options.TickInterval);
        }

        _listening = _transport.Listen(new Listener(this));
    }

    /// <summary>Joins the overlay that a contact belongs to; a peer that has left joins as a new incarnation. Never waits.</summary>
    /// <param name="contact">Where any member listens; it is dialled until it is reached. May be called for several contacts.</param>
    public void Join(PeerAddress contact)
    {
        ArgumentNullException.ThrowIfNull(contact);
        ThrowUnlessStarted();
        _mailbox.Post(() =>
        {
            if (!_session!.IsMember)
            {
                OpenSession(_session.Self.Incarnation);
                _listening?.Dispose();
                _listening = _transport.Listen(new Listener(this));
            }

            _session.Handle(new OverlayEvent.JoinAsked(Now, contact));
        });
    }

    /// <summary>Leaves: tells the others, lets out what was sent, and closes the overlay's links. May join again.</summary>
    public async Task LeaveAsync()
    {
        ThrowUnlessStarted();
        var left = new TaskCompletionSource<Task>(TaskCreationOptions.RunContinuationsAsynchronously);
        _mailbox.Post(() =>
        {
            try
            {
                _session!.Handle(new OverlayEvent.LeaveAsked(Now, Peer));
            }
            finally
            {
                left.SetResult(_session!.Disconnecting);
            }
        });
        await await left.Task;
    }

    /// <summary>Makes another peer leave; it may join again. Never waits.</summary>
    /// <param name="peer">
    /// A peer that is a member as known here. The overlays whose views are partial ask the other members about one that is not; else
    /// nothing happens.
    /// </param>
    public void Remove(PeerId peer)
    {
        ThrowUnlessStarted();
        _mailbox.Post(() => _session!.Handle(new OverlayEvent.LeaveAsked(Now, peer)));
    }

    /// <summary>Sends a message to all members. Never waits.</summary>
    /// <param name="payload">The bytes; copied before the call returns.</param>
    /// <returns>False when it was certainly not sent: this peer is no member, or as many frames wait as the options allow.</returns>
    public bool TryBroadcast(ReadOnlyMemory<byte> payload)
    {
        ThrowUnlessStarted();
        var copy = payload.ToArray();
        return Members.Count > 0 && TryPost(() => _session!.Broadcast(copy), copy.Length);
    }

    /// <summary>Sends a message to one member, over other members if there is no link to it. Never waits.</summary>
    /// <param name="to">The member, which need not be known here.</param>
    /// <param name="payload">The bytes; copied before the call returns.</param>
    /// <returns>
    /// False when it was certainly not sent: this peer is no member, or as many frames wait, or as many messages are not acknowledged, as
    /// the options allow.
    /// </returns>
    public bool TrySend(PeerId to, ReadOnlyMemory<byte> payload)
    {
        ThrowUnlessStarted();
        var session = Volatile.Read(ref _session)!;
        if (Members.Count == 0 || !session.Unacknowledged.TryAdd(to, payload.Length))
        {
            return false;
        }

        var copy = payload.ToArray();
        if (TryPost(() => session.Send(to, copy), copy.Length))
        {
            return true;
        }

        session.Unacknowledged.Remove(to, payload.Length);
        return false;
    }

    /// <summary>Stops without a word to the others, as a crash would; the transport stays as it is.</summary>
    public ValueTask DisposeAsync()
    {
        lock (_lock)
        {
            _disposed = true;
            _timer?.Dispose();
            _metrics?.Dispose();
        }

        _listening?.Dispose();
        return default;
    }

    private TimeSpan Now => _time.GetElapsedTime(_started);

    private void OpenSession(long after)
    {
        var incarnation = Math.Max(after + 1, (_time.GetUtcNow().ToUnixTimeMilliseconds() << 16) | (long)_random.Next(1 << 16));
        var self = new OverlayMember(Peer, _transport.Address, incarnation, _options.Tag);
        var session = new OverlaySession(
            _options, _catalog.Create(_options, self), _transport, () => Now, _random, _logger, Publish,
            message => Raise(() => MessageReceived?.Invoke(message)));
        Volatile.Write(ref _session, session);
        Volatile.Write(ref _members, [self]);
    }

    private void Publish(IReadOnlyList<OverlayMember> members, IReadOnlyList<PeerId> neighbours)
    {
        Volatile.Write(ref _members, members);
        Volatile.Write(ref _neighbours, neighbours);
        Raise(() => MembershipChanged?.Invoke());
    }

    private void Raise(Action raise)
    {
        try
        {
            raise();
        }
#pragma warning disable CA1031 // A listener's fault must not break the overlay.
        catch (Exception e)
#pragma warning restore CA1031
        {
            OverlayLog.HandlerFailed(_logger, e, Peer);
        }
    }

    private bool TryPost(Action action, int bytes)
    {
        if (_mailbox.TryPost(action, bytes))
        {
            return true;
        }

        Interlocked.Increment(ref _tooMany);
        return false;
    }

    // One tick at a time: where events are handled slower than time passes, ticks do not pile up.
    private void PostTick()
    {
        if (!_disposed && Interlocked.Exchange(ref _tickWaits, 1) == 0)
        {
            _mailbox.Post(() =>
            {
                Volatile.Write(ref _tickWaits, 0);
                _session!.Tick();
            });
        }
    }

    private void ThrowUnlessStarted()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_timer is null)
        {
            throw new InvalidOperationException($"Start the overlay of {Peer} first.");
        }
    }

    private sealed class Listener(OverlayNode node) : IOverlayListener
    {
        public void LinkUp(PeerId peer) => node._mailbox.Post(() => node._session!.LinkUp(peer));

        public void LinkDown(PeerId peer) => node._mailbox.Post(() => node._session!.LinkDown(peer));

        public void Received(PeerId from, ReadOnlySpan<byte> frame)
        {
            var copy = frame.ToArray();
            node.TryPost(() => node._session!.Received(from, copy), copy.Length);
        }
    }
}
