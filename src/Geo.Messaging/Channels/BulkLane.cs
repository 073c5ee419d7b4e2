using System.Diagnostics.CodeAnalysis;

namespace Geo.Messaging;

/// <summary>
/// A connection that carries nothing but pieces of a lane's large messages and probes of its own life. It takes a piece whenever the
/// network has taken the last one, so that a slow lane carries less and holds nothing up. That it breaks ends the link.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The semaphore has no wait handle: there is nothing to dispose.")]
internal sealed class BulkLane
{
    private const int StartBytes = FrameHeader.Size + PieceHeader.Size;

    private readonly LinkContext _link;
    private readonly IWireConnection _wire;
    private readonly PieceChannel _channel;
    private readonly IPieceSink _sink;
    private readonly SemaphoreSlim _work = new(0);
    private readonly Action _wake;
    private readonly PieceFrame _piece = new();
    private readonly byte[] _probe = new byte[FrameHeader.Size];
    private readonly byte[] _answer = new byte[FrameHeader.Size];
    private long _lastReceived;
    private volatile bool _isIdle;
    private bool _probes;
    private bool _answers;
    private volatile bool _ended;

    public BulkLane(LinkContext link, IWireConnection wire, PieceChannel channel, IPieceSink sink, LaneId id)
    {
        (_link, _wire, _channel, _sink, Id) = (link, wire, channel, sink, id);
        _lastReceived = link.Node.Time.GetTimestamp();
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
        var silence = _link.Node.Time.GetElapsedTime(Volatile.Read(ref _lastReceived));
        if (judge && silence > _link.Node.Options.DeadLinkAfter)
        {
            _sink.End($"nothing was heard on {Id} for {silence.TotalSeconds:0.0} s");
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
            _sink.End($"{Id} broke: {e.Message}");
        }
#pragma warning disable CA1031 // Whatever stops a lane ends the link; nobody else waits for this task.
        catch (Exception e)
#pragma warning restore CA1031
        {
            if (!_ended)
            {
                MessagingLog.LaneFailed(_link.Node.Logger, e, _link.Remote.Peer);
                _sink.End($"an internal fault: {e.Message}");
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
            OutgoingMessage? message = null;
            PieceHeader piece = default;
            if (!_isIdle)
            {
                // Set before the attempt: whoever wakes the lane resets it, perhaps before the attempt has returned.
                _isIdle = true;
                if (_channel.Outbox.TryTake(_wake, out message, out piece))
                {
                    _isIdle = false;
                    if (!_piece.TryAdd(message, piece, batch, batch.Count == 0 ? _wire : null))
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

    private async Task ReceiveAsync()
    {
        var start = new byte[StartBytes];
        while (true)
        {
            if (!await FillAsync(start.AsMemory(0, FrameHeader.Size)))
            {
                _sink.End("the remote closed the connection");
                return;
            }

            var maxBytes = _link.Node.Options.MaxMessageBytes;
            if (!FrameHeader.TryRead(start, maxBytes, out var header, out var fault) || !BelongsHere(header))
            {
                _sink.BreakOff(fault ?? $"a {header.Kind} frame of {header.PayloadBytes} bytes on a bulk lane");
                return;
            }

            if (header.Kind == FrameKind.Piece)
            {
                if (!await FillAsync(start.AsMemory(FrameHeader.Size)))
                {
                    _sink.End("the remote closed the connection within a message");
                    return;
                }

                fault = PieceHeader.TryRead(start.AsSpan(FrameHeader.Size), header.PayloadBytes - PieceHeader.Size, maxBytes, out var piece);
                Memory<byte> into = default;
                if ((fault ?? _channel.Inbox.Begin(header.Number, piece, out into)) is { } wrong)
                {
                    _sink.BreakOff(wrong);
                    return;
                }

                if (!await FillAsync(into))
                {
                    _sink.End("the remote closed the connection within a message");
                    return;
                }

                _channel.Inbox.End(header.Number, piece);
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
        FrameKind.Piece => header.PayloadBytes > PieceHeader.Size,
        FrameKind.Ping or FrameKind.Pong => header.PayloadBytes == 0,
        _ => false,
    };

    private async ValueTask<bool> FillAsync(Memory<byte> into)
    {
        while (!into.IsEmpty)
        {
            var received = await _wire.ReceiveAsync(into);
            Volatile.Write(ref _lastReceived, _link.Node.Time.GetTimestamp());
            if (received == 0)
            {
                return false;
            }

            into = into[received..];
        }

        return true;
    }
}
