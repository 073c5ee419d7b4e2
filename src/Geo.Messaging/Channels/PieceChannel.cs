namespace Geo.Messaging;

/// <summary>
/// What a lane needs to send and receive large messages: both halves of the protocol, and the bulk lanes beside it, which are opened when
/// there are large messages, as many as the budget of bytes in flight calls for. The dialling side opens them; the accepting side asks it
/// to. Where a lane has none, or none can be opened, the pieces go on the lane itself, one between what else it sends.
/// </summary>
internal sealed class PieceChannel
{
    // What one connection carries at once when the kernel lets a send buffer grow to 4 MB, as most do.
    private const long BytesInFlightPerLane = 3 * 1024 * 1024;

    private readonly LinkContext _link;
    private readonly LaneId _id;
    private readonly IPieceSink _sink;
    private readonly Lock _lock = new();
    private readonly int _most;
    private readonly PieceFrame _pieceHere = new();
    private readonly Action _wakeHere;
    private volatile bool _mayCarryHere;
    private volatile bool _waitsHere;
    private OutgoingMessage? _messageHere;
    private PieceHeader _pieceSentHere;
    private BulkLane[] _lanes = [];
    private int _opening;
    private int _wantedThere;
    private int _asked;
    private bool _ended;

    /// <param name="link">The link.</param>
    /// <param name="id">The lane.</param>
    /// <param name="queue">What the lane sends.</param>
    /// <param name="sink">The lane, as seen from here.</param>
    public PieceChannel(LinkContext link, LaneId id, OutboundQueue queue, IPieceSink sink)
    {
        (_link, _id, _sink) = (link, id, sink);
        _most = link.Terms.Plan.BulkLanesOf(id);
        _mayCarryHere = _most == 0;
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
        link.Budget.Add(Outbox);
    }

    /// <summary>The sending half.</summary>
    public LargeOutbox Outbox { get; }

    /// <summary>The receiving half.</summary>
    public LargeInbox Inbox { get; }

    /// <summary>The bulk lanes that are open.</summary>
    public BulkLane[] Lanes => Volatile.Read(ref _lanes);

    /// <summary>True when there may be bulk lanes.</summary>
    public bool HasBulkLanes => _most > 0;

    /// <summary>How many bulk lanes carry so many bytes at once.</summary>
    public static int LanesFor(long bytesInFlight, int most) =>
        (int)Math.Clamp((bytesInFlight + BytesInFlightPerLane - 1) / BytesInFlightPerLane, 1, most);

    /// <summary>True when a message must be sent by the outbox.</summary>
    public bool Takes(int frameBytes)
    {
        if (!FrameHeader.IsLarge(frameBytes))
        {
            return Outbox.IsBusy;
        }

        OpenLanes();
        return true;
    }

    /// <summary>Adds a connection that both sides have taken into use.</summary>
    /// <returns>False when the link has ended, or has this lane already.</returns>
    public bool TryAdd(LaneId id, IWireConnection wire)
    {
        var lane = new BulkLane(_link, wire, this, _sink, id);
        lock (_lock)
        {
            if (_ended || id.Number > _most || Array.Exists(_lanes, other => other.Id == id))
            {
                return false;
            }

            _lanes = [.. _lanes, lane];
        }

        lane.Start();
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
                    Tell(FrameKind.Ping, (ulong)_link.Node.Time.GetTimestamp());
                    OpenLanes();
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
                lock (_lock)
                {
                    _wantedThere = (int)Math.Min(header.Number, (ulong)_most);
                }

                OpenLanes();
                return null;
            default:
                return $"a {header.Kind} frame where none may be";
        }
    }

    /// <summary>For the lane's writer: adds the next piece to what it sends, when pieces go on the lane.</summary>
    /// <returns>True when there was one; once it is sent, <see cref="NoteSentHere"/> is to be called.</returns>
    public bool TryTakeHere(List<ArraySegment<byte>> batch)
    {
        if (!_mayCarryHere)
        {
            return false;
        }

        _mayCarryHere = false;
        if (Lanes.Length > 0)
        {
            // A lane is open after all, and this wake was meant for it.
            Outbox.Wake();
            return false;
        }

        // Set before the attempt: whoever wakes the lane resets it, perhaps before the attempt has returned.
        _waitsHere = true;
        if (!Outbox.TryTake(_wakeHere, out _messageHere, out _pieceSentHere))
        {
            return false;
        }

        (_waitsHere, _mayCarryHere) = (false, true);
        return _pieceHere.TryAdd(_messageHere, _pieceSentHere, batch);
    }

    /// <summary>The piece that the lane's writer took last has been handed to the network.</summary>
    public void NoteSentHere() => Outbox.NoteSent(_messageHere!, _pieceSentHere);

    /// <summary>A piece has been handed to the network.</summary>
    public void NoteSent(OutgoingMessage message, PieceHeader piece, LaneId lane)
    {
        Outbox.NoteSent(message, piece);
        _link.Node.Metrics.SentBulk(piece.Length, _link.Remote.Peer, lane);
    }

    /// <summary>Probes the bulk lanes, and asks again for those that have not come.</summary>
    public void Probe(bool judge)
    {
        foreach (var lane in Lanes)
        {
            lane.Probe(judge);
        }

        lock (_lock)
        {
            _asked = _lanes.Length;
        }
    }

    /// <summary>Closes the connections.</summary>
    public void End()
    {
        BulkLane[] lanes;
        lock (_lock)
        {
            _ended = true;
            lanes = _lanes;
        }

        _link.Node.Metrics.Dropped("link-down", _link.Remote.Peer, _id, Outbox.Close());
        Inbox.Close();
        Array.ForEach(lanes, lane => lane.End());
    }

    private void Tell(FrameKind kind, ulong number) => _sink.Tell(kind, number);

    // Asked for as often as the remote likes: a lane that waits for a piece already waits once.
    private void CarryHere()
    {
        if (!_waitsHere)
        {
            _mayCarryHere = true;
            _sink.WakeWriter();
        }
    }

    private void OpenLanes()
    {
        if (_most == 0)
        {
            return;
        }

        var wanted = LanesFor(_link.Budget.Bytes, _most);
        List<LaneId> open = [];
        lock (_lock)
        {
            wanted = Math.Max(wanted, _wantedThere);
            if (_ended || _lanes.Length + _opening >= wanted || (_link.OpenLane is null && _asked >= wanted))
            {
                return;
            }

            _asked = wanted;
            if (_link.OpenLane is not null)
            {
                open.AddRange(
                    Enumerable.Range(_lanes.Length + _opening + 1, wanted - _lanes.Length - _opening)
                        .Select(number => new LaneId(_id.Channel, number)));
                _opening += open.Count;
            }
        }

        if (_link.OpenLane is null)
        {
            Tell(FrameKind.OpenLanes, (ulong)wanted);
            return;
        }

        open.ForEach(id => _ = OpenAsync(id));
    }

    private async Task OpenAsync(LaneId id)
    {
        try
        {
            var wire = await _link.OpenLane!(id);
            if (!TryAdd(id, wire))
            {
                wire.Dispose();
            }
        }
#pragma warning disable CA1031 // The link does without: what is sent goes on over the lanes that there are.
        catch (Exception e)
#pragma warning restore CA1031
        {
            MessagingLog.BulkLaneNotOpened(_link.Node.Logger, id.ToString(), _link.Remote.Peer, e.Message);
            if (Lanes.Length == 0)
            {
                Tell(FrameKind.OpenLanes, 0);
                CarryHere();
            }

            // Not at once again: what refused it now will refuse it in a moment.
            await Task.Delay(_link.Node.Options.MaxReconnectDelay, _link.Node.Time);
        }
        finally
        {
            lock (_lock)
            {
                _opening--;
            }
        }
    }
}
