using System.Buffers;
using Microsoft.Extensions.Logging;

namespace Geo.Messaging.Overlays;

/// <summary>
/// One membership of a peer, from its joining to its leaving: hands events to the strategy, carries out its effects, and keeps broadcast
/// and router told of the neighbours. Called one call at a time.
/// </summary>
internal sealed class OverlaySession : IBroadcastOutlet
{
    private readonly OverlayOptions _options;
    private readonly IOverlayTransport _transport;
    private readonly Func<TimeSpan> _now;
    private readonly Random _random;
    private readonly ILogger _logger;
    private readonly Action<IReadOnlyList<OverlayMember>, IReadOnlyList<PeerId>> _publish;
    private readonly Action<OverlayMessage> _deliver;
    private readonly Plumtree _broadcast;
    private readonly TreeRouter _router;
    private readonly DirectMessages _messages;
    private readonly Dictionary<PeerId, OverlayHello> _links = [];

    // The transport's links: a hello that arrives late, from one that has been closed here, opens nothing.
    private readonly HashSet<PeerId> _open = [];

    // Those whose broadcasts this peer is sure to hear. Until the first of them it hears of no message, and takes those before as none of
    // its business.
    private readonly HashSet<PeerId> _told = [];
    private readonly PayloadWriter _frame = new();
    private IMembershipStrategy _strategy;
    private IReadOnlyList<OverlayMember> _members;
    private long _notSent;
    private long _notLinked;
    private long _malformed;

    public OverlaySession(
        OverlayOptions options, IMembershipStrategy strategy, IOverlayTransport transport, Func<TimeSpan> now, Random random,
        ILogger logger,
        Action<IReadOnlyList<OverlayMember>, IReadOnlyList<PeerId>> publish, Action<OverlayMessage> deliver)
    {
        (_options, _strategy, _transport, _now, _random, _logger, _publish, _deliver) =
            (options, strategy, transport, now, random, logger, publish, deliver);
        _members = [strategy.Self];
        _broadcast = new Plumtree(Self.Peer, options.Broadcast, new PlumtreeCounts(), this);
        _router = new TreeRouter(options.Routing, Self.Peer, (to, message) => Send(to, OverlayFrameKind.Routed, message.WriteTo));
        _messages = new DirectMessages(
            options.Routing,
            (to, frame, floods) => _router.Send(to, Self.Incarnation, frame, floods, _broadcast.Eager),
            (from, payload, hops) => _deliver(new OverlayMessage(from, payload, IsBroadcast: false, hops)));
    }

    /// <summary>False once the peer has left.</summary>
    public bool IsMember { get; private set; } = true;

    public OverlayMember Self => _strategy.Self;

    /// <summary>Ends when the links that the strategy closed are closed.</summary>
    public Task Disconnecting { get; private set; } = Task.CompletedTask;

    /// <summary>
    /// Messages to single peers that have been taken and are not settled. To be added to before <see cref="Send(PeerId, byte[])"/>.
    /// </summary>
    public HeldMessages Unacknowledged => _messages.Unacknowledged;

    public OverlayCounts Counts(long tooMany) => new(
        _notSent, _notLinked, _malformed, tooMany, _router.Unrouted, _messages.Counts.Undeliverable, _messages.Counts.SentAgain,
        _messages.Counts.Overtaken, _messages.Counts.TooEarly, _broadcast.Counts);

    public void Handle(OverlayEvent happened)
    {
        if (!IsMember)
        {
            return;
        }

        var before = _strategy.Self.Incarnation;
        OverlayStep step;
        try
        {
            step = _strategy.Handle(happened, _random);
        }
        catch (GeoSerializationException e)
        {
            CountMalformed(happened is OverlayEvent.Received received ? received.From.Peer : Self.Peer, e);
            return;
        }

        _strategy = step.Next;
        if (before != _strategy.Self.Incarnation)
        {
            _broadcast.StartOver();
            _messages.StartOver();
        }

        foreach (var effect in step.Effects)
        {
            CarryOut(effect);
        }

        if (step.Effects.Count > 0 || happened is OverlayEvent.LinkUp or OverlayEvent.LinkDown)
        {
            UpdateNeighbours();
        }
    }

    public void Tick()
    {
        if (IsMember)
        {
            Handle(new OverlayEvent.Tick(_now()));
            _broadcast.Tick(_now());
            _messages.Tick(_now());
        }
    }

    /// <summary>A link of the transport is up; it is one of the overlay's once the other end has said hello.</summary>
    public void LinkUp(PeerId peer)
    {
        if (IsMember && _open.Add(peer))
        {
            SayHello(peer, asksBack: true);
        }
    }

    public void LinkDown(PeerId peer)
    {
        _open.Remove(peer);
        EndLink(peer);
    }

    public void Received(PeerId from, byte[] frame)
    {
        try
        {
            var reader = new PayloadReader(frame);
            var kind = (OverlayFrameKind)reader.ReadByte();
            if (kind == OverlayFrameKind.Hello)
            {
                OnHello(from, OverlayHello.ReadFrom(ref reader));
            }
            else if (IsMember && _links.TryGetValue(from, out var link))
            {
                OnFrame(kind, from, link.Member, frame, ref reader);
            }
            else
            {
                _notLinked++;
            }
        }
        catch (GeoSerializationException e)
        {
            CountMalformed(from, e);
        }
    }

    public void Broadcast(byte[] payload)
    {
        if (IsMember)
        {
            _broadcast.Broadcast(Self.Peer, Self.Incarnation, payload, _now());
        }
    }

    public void Send(PeerId to, byte[] payload)
    {
        if (IsMember && to != Self.Peer)
        {
            _messages.Send(to, payload, _now());
            return;
        }

        Unacknowledged.Remove(to, payload.Length);
        if (IsMember)
        {
            _deliver(new OverlayMessage(to, payload, IsBroadcast: false, 0));
        }
    }

    void IBroadcastOutlet.Send(PeerId to, PayloadWriter frame) =>
        Send(to, OverlayFrameKind.Broadcast, writer => writer.Write(frame.Written.Span));

    bool IBroadcastOutlet.TrySendToAll(PayloadWriter frame)
    {
        Begin(OverlayFrameKind.Broadcast, writer => writer.Write(frame.Written.Span));
        return _transport.TrySendToAll(_frame.Written);
    }

    void IBroadcastOutlet.Told(PeerId by)
    {
        if (_told.Add(by))
        {
            PublishNeighbours();
        }
    }

    void IBroadcastOutlet.Deliver(BroadcastId id, ReadOnlyMemory<byte> payload, int hops) =>
        _deliver(new OverlayMessage(id.Origin, payload, IsBroadcast: true, hops));

    private void OnHello(PeerId from, OverlayHello hello)
    {
        if (!IsMember)
        {
            Close(from);
            return;
        }

        if (!_open.Contains(from))
        {
            _notLinked++;
            return;
        }

        if (hello.Member.Peer != from || hello.Overlay != _options.Overlay)
        {
            OverlayLog.OtherOverlay(_logger, Self.Peer, _options.Overlay, from, hello.Overlay);
            return;
        }

        if (hello.AsksBack)
        {
            SayHello(from, asksBack: false);
        }

        if (_links.TryGetValue(from, out var known))
        {
            // A peer that asks begins the link anew, and has forgotten what it was told before.
            if (known.Member == hello.Member && !hello.AsksBack)
            {
                return;
            }

            EndLink(from);
        }

        _links[from] = hello;
        Handle(new OverlayEvent.LinkUp(_now(), hello.Member));
    }

    private void EndLink(PeerId peer)
    {
        _told.Remove(peer);
        if (_links.Remove(peer, out var hello))
        {
            Handle(new OverlayEvent.LinkDown(_now(), hello.Member));
        }
    }

    private void OnFrame(OverlayFrameKind kind, PeerId from, OverlayMember member, byte[] frame, ref PayloadReader reader)
    {
        switch (kind)
        {
            case OverlayFrameKind.Membership:
                Handle(new OverlayEvent.Received(_now(), member, frame.AsMemory(frame.Length - reader.Rest.Length)));
                break;
            case OverlayFrameKind.Broadcast:
                if (_broadcast.Handle(from, ref reader, _strategy.Relays, _now()) is { } id)
                {
                    _router.Learn(id.Origin, from);
                }

                break;
            case OverlayFrameKind.Routed:
                var message = RoutedMessage.ReadFrom(ref reader);
                if (_router.Receive(message, from, _strategy.Relays, _broadcast.Eager))
                {
                    _messages.Receive(message.Id.Origin, message.Id.Incarnation, Self.Incarnation, message.Payload, message.Hops, _now());
                }

                break;
            default:
                throw new GeoSerializationException($"a frame of the unknown kind {(byte)kind}");
        }
    }

    private void CarryOut(OverlayEffect effect)
    {
        switch (effect)
        {
            case OverlayEffect.Connect connect:
                _transport.Connect(connect.Address);
                break;
            case OverlayEffect.CancelConnect cancel:
                _transport.CancelConnect(cancel.Address);
                break;
            case OverlayEffect.Disconnect disconnect:
                _links.Remove(disconnect.Peer);
                _told.Remove(disconnect.Peer);
                Close(disconnect.Peer);
                break;
            case OverlayEffect.Send send:
                Send(send.To, OverlayFrameKind.Membership, writer => writer.Write(send.Payload.Span));
                break;
            case OverlayEffect.MembersChanged changed:
                _members = changed.Members;
                break;
            case OverlayEffect.Left:
                IsMember = false;
                _members = [];
                OverlayLog.HasLeft(_logger, Self.Peer);
                break;
            default:
                throw new InvalidOperationException($"{effect} is no effect of an overlay.");
        }
    }

    private void UpdateNeighbours()
    {
        var neighbours = _members.Select(member => member.Peer).Where(_links.ContainsKey).Order().ToList();
        foreach (var gone in _router.Neighbours.Keys.Except(neighbours).ToList())
        {
            _router.Neighbours.Remove(gone);
            _broadcast.NeighbourDown(gone);
        }

        foreach (var peer in neighbours)
        {
            if (_router.Neighbours.TryAdd(peer, _links[peer].Relays))
            {
                _broadcast.NeighbourUp(peer);
            }
        }

        PublishNeighbours();
    }

    private void PublishNeighbours() => _publish(_members, [.. _router.Neighbours.Keys.Where(_told.Contains).Order()]);

    private void Close(PeerId peer)
    {
        _open.Remove(peer);
        var closing = _transport.DisconnectAsync(peer);
        Disconnecting = Disconnecting.IsCompletedSuccessfully ? closing : Task.WhenAll(Disconnecting, closing);
    }

    private void SayHello(PeerId peer, bool asksBack) =>
        Send(peer, OverlayFrameKind.Hello, new OverlayHello(Self, _options.Overlay, _strategy.Relays, asksBack).WriteTo);

    private bool Send(PeerId to, OverlayFrameKind kind, Action<PayloadWriter> write)
    {
        Begin(kind, write);
        if (_transport.TrySend(to, _frame.Written))
        {
            return true;
        }

        _notSent++;
        return false;
    }

    private void Begin(OverlayFrameKind kind, Action<PayloadWriter> write)
    {
        _frame.Reset();
        _frame.WriteByte((byte)kind);
        write(_frame);
    }

    private void CountMalformed(PeerId from, GeoSerializationException e)
    {
        _malformed++;
        OverlayLog.Malformed(_logger, Self.Peer, from, e.Message);
    }
}
