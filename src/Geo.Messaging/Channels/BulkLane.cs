using System.Diagnostics.CodeAnalysis;

namespace Geo.Messaging;

/// <summary>
/// A connection that carries nothing but pieces of a lane's large messages and probes of its own life. It takes a piece whenever the
/// network has taken the last one, so that a slow lane carries less and holds nothing up. That it breaks ends the link.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The semaphore has no wait handle: there is nothing to dispose.")]
internal sealed class BulkLane : ILaneSink
{
    // Little more than what stands before a piece, so that the rest of it is received where it belongs.
    private const int ReceiveBufferBytes = 64;

    private readonly LinkContext _link;
    private readonly IWireConnection _wire;
    private readonly LargeOutbox _outbox;
    private readonly LargeInbox _inbox;
    private readonly IPieceSink _sink;
    private readonly SemaphoreSlim _work = new(0);
    private readonly Action _wake;
    private readonly PieceFrame _piece = new();
    private readonly byte[] _probe = new byte[FrameHeader.Size];
    private readonly byte[] _answer = new byte[FrameHeader.Size];
    private readonly LaneReader _reader;
    private volatile bool _isIdle;
    private bool _probes;
    private bool _answers;
    private volatile bool _ended;

    public BulkLane(LinkContext link, IWireConnection wire, LargeOutbox outbox, LargeInbox inbox, IPieceSink sink, LaneId id)
    {
        (_link, _wire, _outbox, _inbox, _sink, Id) = (link, wire, outbox, inbox, sink, id);
        _reader = new LaneReader(wire, ReceiveBufferBytes, link.Node.Options.MaxMessageBytes, link.Node.Time);
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
        var silence = _link.Node.Time.GetElapsedTime(_reader.LastReceived);
        if (judge && silence > _link.Node.Options.DeadLinkAfter)
        {
            _link.Node.Metrics.CutOff("silent");
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

    string? ILaneSink.OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload)
    {
        switch (header.Kind)
        {
            case FrameKind.Ping:
                Volatile.Write(ref _answers, true);
                _work.Release();
                return null;
            case FrameKind.Pong:
                return null;
            default:
                return $"a {header.Kind} frame on a bulk lane";
        }
    }

    string? ILaneSink.BeginPiece(ulong number, PieceHeader piece, out Memory<byte> into) => _inbox.Begin(number, piece, out into);

    void ILaneSink.EndPiece(ulong number, PieceHeader piece) => _inbox.End(number, piece);

    ValueTask ILaneSink.OnReceivedAsync() => default;

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
                if (_outbox.TryTake(_wake, out message, out piece))
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
                _outbox.NoteSent(message, piece);
                _link.Node.Metrics.SentBulk(piece.Length, _link.Remote.Peer, Id);
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
        var (reason, isFault) = await _reader.RunAsync(this);
        if (isFault)
        {
            _sink.BreakOff(reason);
        }
        else
        {
            _sink.End($"{Id} broke: {reason}");
        }
    }
}
