using System.Diagnostics.CodeAnalysis;

namespace Geo.Messaging;

/// <summary>
/// A connection that carries nothing but pieces of a channel's large messages and probes of its own life. It takes a piece whenever the
/// network has taken the last one, so that a slow lane carries less and holds nothing up. That it breaks ends the link.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The semaphore has no wait handle: there is nothing to dispose.")]
internal sealed class BulkLane
{
    private const int StartBytes = FrameHeader.Size + BulkPiece.Size;

    private readonly LaneContext _context;
    private readonly IWireConnection _wire;
    private readonly BulkChannel _channel;
    private readonly SemaphoreSlim _work = new(0);
    private readonly Action _wake;
    private readonly byte[] _pieceStart = new byte[StartBytes];
    private readonly byte[] _probe = new byte[FrameHeader.Size];
    private readonly byte[] _answer = new byte[FrameHeader.Size];
    private readonly int _version;
    private long _lastReceived;
    private volatile bool _isIdle;
    private byte[] _copy = [];
    private bool _probes;
    private bool _answers;
    private volatile bool _isHeld;
    private volatile bool _ended;

    public BulkLane(LaneContext context, IWireConnection wire, BulkChannel channel, LaneId id, int version)
    {
        (_context, _wire, _channel, Id, _version) = (context, wire, channel, id, version);
        _lastReceived = context.Time.GetTimestamp();
        wire.PrepareForBulk();
        new FrameHeader(FrameKind.Ping, 0, 0, 0).Write(_probe);
        new FrameHeader(FrameKind.Pong, 0, 0, 0).Write(_answer);
        _wake = () =>
        {
            _isIdle = false;
            _work.Release();
        };
    }

    /// <summary>Which of the link's connections it is.</summary>
    public LaneId Id { get; }

    /// <summary>Starts sending and receiving.</summary>
    public void Start()
    {
        using (ExecutionContext.IsFlowSuppressed() ? default(AsyncFlowControl?) : ExecutionContext.SuppressFlow())
        {
            _ = Task.Run(() => RunAsync(WriteAsync));
            _ = Task.Run(() => RunAsync(ReceiveAsync));
        }
    }

    /// <summary>Ends the link when the remote has been silent for too long on this connection; else probes it.</summary>
    public void Probe(bool judge)
    {
        var silence = _context.Time.GetElapsedTime(Volatile.Read(ref _lastReceived));
        if (judge && !_isHeld && silence > _context.Options.DeadLinkAfter)
        {
            _channel.EndLink($"nothing was heard on {Id} for {silence.TotalSeconds:0.0} s");
            return;
        }

        Volatile.Write(ref _probes, true);
        _work.Release();
    }

    /// <summary>Closes the connection.</summary>
    public void End()
    {
        _ended = true;
        _wire.Dispose();
        _work.Release();
    }

    private async Task RunAsync(Func<Task> loop)
    {
        try
        {
            await loop();
        }
        catch (IOException e)
        {
            _channel.EndLink($"{Id} broke: {e.Message}");
        }
#pragma warning disable CA1031 // Whatever stops a lane ends the link; nobody else waits for this task.
        catch (Exception e)
#pragma warning restore CA1031
        {
            if (!_ended)
            {
                MessagingLog.LaneFailed(_context.Logger, e, _channel.Remote);
                _channel.EndLink($"an internal fault: {e.Message}");
            }
        }
    }

    private async Task WriteAsync()
    {
        var batch = new List<ArraySegment<byte>>();
        while (!_ended)
        {
            batch.Clear();
            AddIf(ref _probes, _probe);
            AddIf(ref _answers, _answer);
            OutboundBulk? message = null;
            BulkPiece piece = default;
            if (!_isIdle)
            {
                // Set before the attempt: whoever wakes the lane resets it, perhaps before the attempt has returned.
                _isIdle = true;
                if (_channel.Outbound.TryTake(_wake, out message, out piece))
                {
                    _isIdle = false;
                    if (!TryAdd(message, piece, batch))
                    {
                        return;
                    }
                }
                else
                {
                    message = null;
                }
            }

            if (batch.Count > 0)
            {
                await _wire.SendAsync(batch);
            }
            else if (message is null)
            {
                await _work.WaitAsync();
            }

            if (message is not null)
            {
                _channel.NoteSent(message, piece, Id);
            }
        }

        void AddIf(ref bool flag, byte[] frame)
        {
            if (Volatile.Read(ref flag))
            {
                Volatile.Write(ref flag, false);
                batch.Add(frame);
            }
        }
    }

    // False when the channel has ended.
    private bool TryAdd(OutboundBulk message, BulkPiece piece, List<ArraySegment<byte>> batch)
    {
        new FrameHeader(FrameKind.Piece, message.Number, 0, BulkPiece.Size + piece.Length).Write(_pieceStart);
        piece.Write(_pieceStart.AsSpan(FrameHeader.Size));
        if (!message.IsLent)
        {
            batch.Add(_pieceStart);
            batch.Add(message.BytesOf(piece));
            return true;
        }

        // The requester may take its payload back while the network still waits to read: what it reads later is the lane's.
        _copy = _copy.Length > 0 ? _copy : GC.AllocateUninitializedArray<byte>(StartBytes + BulkPiece.MaxBytes);
        _pieceStart.CopyTo(_copy, 0);
        var frame = new ArraySegment<byte>(_copy, 0, StartBytes + piece.Length);
        if (!message.TryHandOver(piece, frame, StartBytes, batch.Count == 0 ? _wire : null, out var sent))
        {
            return false;
        }

        if (sent < frame.Count)
        {
            batch.Add(frame[sent..]);
        }

        return true;
    }

    private async Task ReceiveAsync()
    {
        var start = new byte[StartBytes];
        while (true)
        {
            if (!await FillAsync(start.AsMemory(0, FrameHeader.Size)))
            {
                _channel.EndLink("the remote closed the connection");
                return;
            }

            var maxBytes = _context.Options.MaxMessageBytes;
            if (!FrameHeader.TryRead(start, maxBytes, _version, out var header, out var fault) || !BelongsHere(header))
            {
                _channel.BreakOff(fault ?? $"a {header.Kind} frame of {header.PayloadBytes} bytes on a bulk lane");
                return;
            }

            if (header.Kind == FrameKind.Piece)
            {
                if (!await FillAsync(start.AsMemory(FrameHeader.Size)))
                {
                    _channel.EndLink("the remote closed the connection within a message");
                    return;
                }

                fault = BulkPiece.TryRead(start.AsSpan(FrameHeader.Size), header.PayloadBytes - BulkPiece.Size, maxBytes, out var piece);
                Memory<byte> into = default;
                if ((fault ?? _channel.Arrivals.Begin(header.Number, piece, out into)) is { } wrong)
                {
                    _channel.BreakOff(wrong);
                    return;
                }

                if (!await FillAsync(into))
                {
                    _channel.EndLink("the remote closed the connection within a message");
                    return;
                }

                _channel.Arrivals.End(header.Number, piece);
                _isHeld = true;
                await _channel.WhenRoomAsync();
                _isHeld = false;
            }
            else if (header.Kind == FrameKind.Ping)
            {
                Volatile.Write(ref _answers, true);
                _work.Release();
            }
        }
    }

    private static bool BelongsHere(FrameHeader header) => header.Kind switch
    {
        FrameKind.Piece => header.PayloadBytes > BulkPiece.Size,
        FrameKind.Ping or FrameKind.Pong => header.PayloadBytes == 0,
        _ => false,
    };

    private async ValueTask<bool> FillAsync(Memory<byte> into)
    {
        while (!into.IsEmpty)
        {
            var received = await _wire.ReceiveAsync(into);
            Volatile.Write(ref _lastReceived, _context.Time.GetTimestamp());
            if (received == 0)
            {
                return false;
            }

            into = into[received..];
        }

        return true;
    }
}
