namespace Geo.Messaging;

/// <summary>
/// What a lane needs to send and receive large messages: both halves of the protocol, and the bulk lanes beside it. Where it has none, or
/// none can be opened, the pieces go on the lane itself, one between what else it sends.
/// </summary>
internal sealed class PieceChannel
{
    private readonly LinkContext _link;
    private readonly LaneId _id;
    private readonly IPieceSink _sink;
    private readonly PieceFrame _pieceHere = new();
    private readonly Action _wakeHere;
    private volatile bool _mayCarryHere;
    private volatile bool _waitsHere;
    private OutgoingMessage? _messageHere;
    private PieceHeader _pieceSentHere;

    /// <param name="link">The link's.</param>
    /// <param name="id">The lane.</param>
    /// <param name="queue">What the lane sends.</param>
    /// <param name="sink">The lane, as seen from here.</param>
    public PieceChannel(LinkContext link, LaneId id, OutboundQueue queue, IPieceSink sink)
    {
        (_link, _id, _sink) = (link, id, sink);
        _wakeHere = () =>
        {
            _waitsHere = false;
            CarryHere();
        };
        var node = link.Node;
        Outbox = new LargeOutbox(
            node.Channels.OptionsOf(id.Channel), queue, Math.Min(link.Terms.RemoteGathersBytes, node.Options.MaxGatheredBytes),
            link.Budget, node.Buffers, () => node.Metrics.Dropped("given-up", link.Remote.Peer, id));
        Inbox = new LargeInbox(node.Options.MaxMessageBytes, node.Options.MaxGatheredBytes, node.Buffers, link.Memory, sink);
        Lanes = new BulkLanes(link, id, Outbox, Inbox, sink, CarryHere);
        _mayCarryHere = Lanes.Most == 0;
        link.Budget.Add(Outbox);
    }

    /// <summary>The sending half.</summary>
    public LargeOutbox Outbox { get; }

    /// <summary>The receiving half.</summary>
    public LargeInbox Inbox { get; }

    /// <summary>The bulk lanes.</summary>
    public BulkLanes Lanes { get; }

    /// <summary>True when a message must be sent by the outbox.</summary>
    public bool Takes(int frameBytes)
    {
        if (!FrameHeader.IsLarge(frameBytes))
        {
            return Outbox.IsBusy;
        }

        Lanes.Open();
        return true;
    }

    /// <summary>A frame of the protocol has come on the lane.</summary>
    /// <returns>Null to go on; else why the link ends.</returns>
    public string? OnFrame(FrameHeader header, ReadOnlyMemory<byte> payload)
    {
        switch (header.Kind)
        {
            case FrameKind.Announce:
                return Inbox.Announce(header.Number, payload.Span);
            case FrameKind.Received:
                var bytes = Outbox.NoteReceived(header.Number);
                if (bytes > 0 && _link.Budget.Return(bytes))
                {
                    _sink.Tell(FrameKind.Ping, (ulong)_link.Node.Time.GetTimestamp());
                    Lanes.Open();
                }

                return null;
            case FrameKind.Arrived:
                Outbox.NoteArrived(header.Number);
                return null;
            case FrameKind.OpenLanes when header.Number == 0:
                // The dialler cannot open one.
                CarryHere();
                return null;
            case FrameKind.OpenLanes:
                Lanes.Want(header.Number);
                return null;
            default:
                return $"a {header.Kind} frame where none may be";
        }
    }

    /// <summary>For the lane's writer: adds the next piece to what it sends, when pieces go on the lane.</summary>
    /// <returns>True when there was one; once it is sent, <see cref="NoteSentHere"/> is to be called.</returns>
    public bool TryTakeHere(List<ArraySegment<byte>> batch)
    {
        // A piece that has just come goes with its announcement, before its wake.
        if (!_mayCarryHere && !(_waitsHere && Outbox.HasPieces))
        {
            return false;
        }

        _mayCarryHere = false;
        if (Lanes.Count > 0)
        {
            // A bulk lane is open after all, and this wake was meant for it.
            Outbox.Wake();
            return false;
        }

        // It waits once. Set before the attempt: whoever wakes the lane resets it, perhaps before the attempt has returned.
        var waits = _waitsHere;
        if (!waits)
        {
            _waitsHere = true;
        }

        if (!Outbox.TryTake(waits ? null : _wakeHere, out _messageHere, out _pieceSentHere))
        {
            return false;
        }

        if (!waits)
        {
            _waitsHere = false;
        }

        _mayCarryHere = true;
        return _pieceHere.TryAdd(_messageHere, _pieceSentHere, batch);
    }

    /// <summary>The piece that the lane's writer took last has been handed to the network.</summary>
    public void NoteSentHere() => Outbox.NoteSent(_messageHere!, _pieceSentHere);

    /// <summary>Ends it with the lane.</summary>
    public void End()
    {
        _link.Node.Metrics.Dropped("link-down", _link.Remote.Peer, _id, Outbox.Close());
        Inbox.Close();
        Lanes.End();
    }

    // Asked for as often as the remote likes: a lane that waits for a piece already waits once.
    private void CarryHere()
    {
        if (!_waitsHere)
        {
            _mayCarryHere = true;
            _sink.WakeWriter();
        }
    }
}
