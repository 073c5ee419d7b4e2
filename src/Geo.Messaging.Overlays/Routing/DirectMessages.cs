using System.Buffers;

namespace Geo.Messaging.Overlays;

/// <summary>
/// Messages to single peers: each is delivered at most once and in its sender's order, and is sent again over other ways until the
/// receiver acknowledges it or <see cref="RouterOptions.DeliveryTimeout"/> has passed.
/// </summary>
/// <remarks>
/// A message names the one before it that the sender has not seen settled; a receiver that has not had that one waits for it. When
/// nothing is acknowledged for a while, the first message is sent over every link: it finds a way if there is one, its acknowledgement
/// teaches that way, and the others follow on it. A state machine without clock, chance or I/O; not thread-safe except for
/// <see cref="Unacknowledged"/>.
/// </remarks>
internal sealed class DirectMessages(
    RouterOptions options, Action<PeerId, ReadOnlyMemory<byte>, bool> send, Action<PeerId, ReadOnlyMemory<byte>, int> deliver)
{
    // More than this are acknowledged before the next tick.
    private const int MaxUnannounced = 64;

    private readonly Dictionary<PeerId, OutboundStream> _outbound = [];
    private readonly Dictionary<PeerId, InboundStream> _inbound = [];
    private readonly List<(PeerId Origin, InboundStream Stream)> _owed = [];
    private readonly HeldMessages _early = new(options);
    private readonly PayloadWriter _frame = new();
    private ulong _sequence;
    private int _unannounced;

    private enum Kind : byte
    {
        Message = 1,
        Acknowledgement = 2,
    }

    public DirectMessageCounts Counts { get; } = new();

    /// <summary>This peer's messages until they are settled. To be added to before <see cref="Send"/>.</summary>
    public HeldMessages Unacknowledged { get; } = new(options);

    public void Send(PeerId to, ReadOnlyMemory<byte> payload, TimeSpan now)
    {
        if (!_outbound.TryGetValue(to, out var stream))
        {
            _outbound[to] = stream = new OutboundStream(to, options, Counts, Unacknowledged, Transmit);
        }

        stream.Send(++_sequence, payload, now);
    }

    /// <summary>Takes a frame that another peer sent by its own instance of this.</summary>
    /// <param name="origin">The peer.</param>
    /// <param name="incarnation">Which start of the peer.</param>
    /// <param name="self">The local peer's incarnation: what is acknowledged to a former one is of no interest.</param>
    /// <param name="frame">What it sent.</param>
    /// <param name="hops">The links it crossed.</param>
    /// <param name="now">The time.</param>
    /// <exception cref="GeoSerializationException">The frame cannot be read.</exception>
    public void Receive(PeerId origin, long incarnation, long self, ReadOnlyMemory<byte> frame, int hops, TimeSpan now)
    {
        var reader = new PayloadReader(frame.Span);
        switch ((Kind)reader.ReadByte())
        {
            case Kind.Message:
                var (sequence, previous) = (reader.ReadUnsigned(), reader.ReadUnsigned());
                OnMessage(origin, incarnation, sequence, new InboundStream.Arrival(previous, frame[^reader.Rest.Length..], hops, now));
                break;
            case Kind.Acknowledgement:
                var (acknowledged, last) = (reader.ReadSigned(), reader.ReadUnsigned());
                if (acknowledged == self && _outbound.TryGetValue(origin, out var stream))
                {
                    stream.Acknowledged(last, now);
                    ForgetIfEmpty(origin, stream);
                }

                break;
            case var kind:
                throw new GeoSerializationException($"A message of {origin} is of the unknown kind {(byte)kind}.");
        }
    }

    /// <summary>Acknowledges, sends again what is not acknowledged, and gives up what has been tried for too long.</summary>
    public void Tick(TimeSpan now)
    {
        AcknowledgeAll();
        foreach (var (to, stream) in _outbound)
        {
            stream.Tick(now);
            ForgetIfEmpty(to, stream);
        }

        if (!_early.IsEmpty)
        {
            foreach (var stream in _inbound.Values)
            {
                stream.DropLate(now);
            }
        }
    }

    /// <summary>
    /// Gives up all that is under way, for a new incarnation of this peer, whose messages would be delivered beside those of the last one.
    /// </summary>
    public void StartOver()
    {
        foreach (var stream in _outbound.Values)
        {
            stream.GiveUp();
        }

        _outbound.Clear();
    }

    private void OnMessage(PeerId origin, long incarnation, ulong sequence, InboundStream.Arrival message)
    {
        if (!_inbound.TryGetValue(origin, out var stream) || stream.Incarnation < incarnation)
        {
            stream = Begin(origin, incarnation);
        }

        if (stream.Incarnation > incarnation)
        {
            Counts.Overtaken++;
            return;
        }

        stream.Take(sequence, message);
        if (!stream.OwesAcknowledgement)
        {
            stream.OwesAcknowledgement = true;
            _owed.Add((origin, stream));
        }

        if (++_unannounced >= MaxUnannounced)
        {
            AcknowledgeAll();
        }
    }

    private InboundStream Begin(PeerId origin, long incarnation)
    {
        if (_inbound.Remove(origin, out var former))
        {
            former.DropAll();
        }
        else if (_inbound.Count >= options.Routes)
        {
            var (oldest, forgotten) = _inbound.MinBy(known => known.Value.Heard);
            forgotten.DropAll();
            _inbound.Remove(oldest);
        }

        return _inbound[origin] = new InboundStream(
            origin, incarnation, options, Counts, _early, (payload, hops) => deliver(origin, payload, hops));
    }

    // An acknowledgement that is lost is sent anew when the message comes again.
    private void AcknowledgeAll()
    {
        _unannounced = 0;
        foreach (var (origin, stream) in _owed)
        {
            stream.OwesAcknowledgement = false;
            _frame.Reset();
            _frame.WriteByte((byte)Kind.Acknowledgement);
            _frame.WriteSigned(stream.Incarnation);
            _frame.WriteUnsigned(stream.Last);
            send(origin, _frame.ToArray(), false);
        }

        _owed.Clear();
    }

    private void Transmit(PeerId to, OutboundStream.Transmission message)
    {
        _frame.Reset();
        _frame.WriteByte((byte)Kind.Message);
        _frame.WriteUnsigned(message.Sequence);
        _frame.WriteUnsigned(message.Previous);
        _frame.Write(message.Payload.Span);
        send(to, _frame.ToArray(), message.Floods);
    }

    private void ForgetIfEmpty(PeerId to, OutboundStream stream)
    {
        if (stream.IsEmpty)
        {
            _outbound.Remove(to);
        }
    }
}
