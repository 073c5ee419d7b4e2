using System.Buffers;

namespace Geo.Messaging;

/// <summary>
/// What a channel needs to stripe its large messages: both halves of the protocol, and the bulk lanes, which are opened when there are
/// large messages, as many as the budget of bytes in flight calls for. The dialling side opens them; the accepting side asks it to.
/// </summary>
internal sealed class BulkChannel
{
    // What one connection carries at once when the kernel lets a send buffer grow to 4 MB, as most do.
    private const long BytesInFlightPerLane = 3 * 1024 * 1024;

    private readonly LaneContext _context;
    private readonly Lane _lane;
    private readonly PeerLink _link;
    private readonly LinkBudget _budget;
    private readonly Lock _lock = new();
    private readonly int _most;
    private BulkLane[] _lanes = [];
    private int _opening;
    private int _wantedThere;
    private int _asked;
    private bool _ended;

    /// <param name="context">The node's.</param>
    /// <param name="link">The link.</param>
    /// <param name="lane">The channel's coalescing lane.</param>
    /// <param name="most">The most bulk lanes.</param>
    /// <param name="remoteGathersBytes">The most bytes of large messages that the remote gathers.</param>
    /// <param name="budget">The link's.</param>
    public BulkChannel(LaneContext context, PeerLink link, Lane lane, int most, int remoteGathersBytes, LinkBudget budget)
    {
        (_context, _link, _lane, _most, _budget) = (context, link, lane, most, budget);
        Outbound = new BulkOutbound(
            context.Channels.OptionsOf(lane.Id.Channel), lane.Queue, remoteGathersBytes, budget, context.Buffers, NoteGivenUp);
        Arrivals = new BulkArrivals(
            context.Options.MaxMessageBytes, context.Options.MaxGatheredBytes, lane.Version, lane.TakeBulk, Tell, context.Buffers);
        budget.Add(Outbound);
    }

    /// <summary>The sending half.</summary>
    public BulkOutbound Outbound { get; }

    /// <summary>The receiving half.</summary>
    public BulkArrivals Arrivals { get; }

    /// <summary>The bulk lanes that are open.</summary>
    public BulkLane[] Lanes => Volatile.Read(ref _lanes);

    /// <summary>Who is at the other end.</summary>
    public PeerId Remote => _lane.Remote.Peer;

    /// <summary>The channel's coalescing lane.</summary>
    public LaneId Id => _lane.Id;

    /// <summary>How many bulk lanes carry so many bytes at once.</summary>
    public static int LanesFor(long bytesInFlight, int most) =>
        (int)Math.Clamp((bytesInFlight + BytesInFlightPerLane - 1) / BytesInFlightPerLane, 1, most);

    /// <summary>True when a message must be sent by <see cref="BulkOutbound.TryAppend"/>.</summary>
    public bool Takes(int frameBytes)
    {
        if (!BulkOutbound.IsLarge(frameBytes))
        {
            return Outbound.IsBusy;
        }

        OpenLanes();
        return true;
    }

    /// <summary>Adds a connection that both sides have taken into use.</summary>
    /// <returns>False when the link has ended, or has this lane already.</returns>
    public bool TryAdd(LaneId id, IWireConnection wire)
    {
        var lane = new BulkLane(_context, wire, this, id, _lane.Version);
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

    /// <summary>A frame of the protocol has come on the coalescing lane.</summary>
    /// <returns>Null to go on; else why the link ends.</returns>
    public string? OnFrame(FrameHeader header, ReadOnlyMemory<byte> payload)
    {
        switch (header.Kind)
        {
            case FrameKind.Announce:
                return Arrivals.Announce(header.Number, payload.Span);
            case FrameKind.Received:
                var bytes = Outbound.NoteReceived(header.Number);
                if (bytes > 0 && _budget.Return(bytes))
                {
                    Tell(FrameKind.Ping, (ulong)_context.Time.GetTimestamp());
                    OpenLanes();
                }

                return null;
            case FrameKind.Arrived:
                Outbound.NoteArrived(header.Number);
                return null;
            case FrameKind.Piece:
                return TakePiece(header, payload.Span);
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

    /// <summary>A probe of the coalescing lane has come back.</summary>
    public void NoteProbe(TimeSpan roundTrip) => _budget.NoteProbe(roundTrip);

    /// <summary>Ends when not too many large messages wait for their handlers.</summary>
    public Task WhenRoomAsync() => _lane.WhenRoomForBulkAsync();

    /// <summary>A piece has been handed to the network.</summary>
    public void NoteSent(OutboundBulk message, BulkPiece piece, LaneId lane)
    {
        Outbound.NoteSent(message, piece);
        _context.Metrics.SentBulk(piece.Length, Remote, lane);
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

    /// <summary>Ends the link: one connection of it is gone.</summary>
    public void EndLink(string reason) => _link.End(reason);

    /// <summary>Ends the link because the remote broke the protocol, and tells it so.</summary>
    public void BreakOff(string fault)
    {
        MessagingLog.ProtocolBroken(_context.Logger, Remote, Id.ToString(), fault);
        _ = _lane.LeaveAsync(fault, _context.Options.HeartbeatInterval);
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

        _context.Metrics.Dropped("link-down", Remote, Id, Outbound.Close());
        Array.ForEach(lanes, lane => lane.End());
    }

    private void NoteGivenUp() => _context.Metrics.Dropped("given-up", Remote, Id);

    private void Tell(FrameKind kind, ulong number) => _lane.Tell(kind, number);

    private string? TakePiece(FrameHeader header, ReadOnlySpan<byte> bytes)
    {
        var into = Memory<byte>.Empty;
        var fault = bytes.Length <= BulkPiece.Size ? "a piece of nothing" : null;
        BulkPiece piece = default;
        fault ??= BulkPiece.TryRead(bytes, bytes.Length - BulkPiece.Size, _context.Options.MaxMessageBytes, out piece);
        fault ??= Arrivals.Begin(header.Number, piece, out into);
        if (fault is null)
        {
            bytes[BulkPiece.Size..].CopyTo(into.Span);
            Arrivals.End(header.Number, piece);
        }

        return fault;
    }

    // Where no bulk lane can be opened the pieces go between the small messages, as many as the budget allows.
    private void CarryHere()
    {
        while (Lanes.Length == 0)
        {
            if (!Outbound.TryTake(CarryHere, out var message, out var piece))
            {
                return;
            }

            var bytes = ArrayPool<byte>.Shared.Rent(BulkPiece.Size + piece.Length);
            piece.Write(bytes);
            if (!message.TryHandOver(piece, bytes, BulkPiece.Size, wire: null, out _))
            {
                return;
            }

            _lane.Queue.TryAppend(FrameKind.Piece, message.Number, "", bytes.AsSpan(0, BulkPiece.Size + piece.Length), default, out _);
            ArrayPool<byte>.Shared.Return(bytes);
            Outbound.NoteSent(message, piece);
        }

        // A lane is open after all, and this wake was meant for it.
        Outbound.Wake();
    }

    private void OpenLanes()
    {
        var wanted = LanesFor(_budget.Bytes, _most);
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
                        .Select(number => new LaneId(Id.Channel, number)));
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
            MessagingLog.BulkLaneNotOpened(_context.Logger, id.ToString(), Remote, e.Message);
            if (Lanes.Length == 0)
            {
                Tell(FrameKind.OpenLanes, 0);
                CarryHere();
            }

            // Not at once again: what refused it now will refuse it in a moment.
            await Task.Delay(_context.Options.MaxReconnectDelay, _context.Time);
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
