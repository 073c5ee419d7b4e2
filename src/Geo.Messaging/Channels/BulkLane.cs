using System.Diagnostics.CodeAnalysis;

namespace Geo.Messaging;

/// <summary>
/// A connection that carries nothing but pieces of a lane's large messages and probes of its own life. It takes a piece whenever the
/// network has taken the last one, so that a slow lane carries less and holds nothing up. That it breaks ends the link; that both sides
/// have said goodbye on it, after their last pieces, does not.
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
    private readonly Action<BulkLane> _changed;
    private readonly SemaphoreSlim _work = new(0);
    private readonly Action _wake;
    private readonly PieceFrame _piece = new();
    private readonly byte[] _probe = FrameOf(FrameKind.Ping);
    private readonly byte[] _answer = FrameOf(FrameKind.Pong);
    private readonly LaneReader _reader;
    private readonly TaskCompletionSource _saidGoodbye = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _lastPiece;
    private volatile bool _isIdle;
    private bool _probes;
    private bool _answers;
    private volatile bool _closes;
    private volatile bool _heardGoodbye;
    private volatile bool _ended;

    /// <param name="link">The link's.</param>
    /// <param name="wire">The connection, which both sides have taken into use.</param>
    /// <param name="outbox">What it sends.</param>
    /// <param name="inbox">What takes what it receives.</param>
    /// <param name="sink">The lane that it is beside.</param>
    /// <param name="changed">Told when the remote has said goodbye, and again when the connection is closed.</param>
    /// <param name="id">Which of the link's connections it is.</param>
    public BulkLane(
        LinkContext link, IWireConnection wire, LargeOutbox outbox, LargeInbox inbox, IPieceSink sink, Action<BulkLane> changed, LaneId id)
    {
        (_link, _wire, _outbox, _inbox, _sink, _changed, Id) = (link, wire, outbox, inbox, sink, changed, id);
        _reader = new LaneReader(wire, ReceiveBufferBytes, link.Node.Options.MaxMessageBytes, link.Node.Time);
        _lastPiece = link.Node.Time.GetTimestamp();
        wire.PrepareForBulk();
        _wake = () =>
        {
            if (_closes)
            {
                // Meant for a lane that takes pieces.
                _outbox.Wake();
                return;
            }

            _isIdle = false;
            _work.Release();
        };
    }

    /// <summary>Which of the link's connections it is.</summary>
    public LaneId Id { get; }

    /// <summary>False once it is being closed: it takes no more pieces.</summary>
    public bool IsOpen => !_closes;

    /// <summary>True until the remote has said goodbye: only then may another lane have its number.</summary>
    public bool HoldsNumber => !_heardGoodbye;

    /// <summary>Ends when the connection is closed, with or before the link.</summary>
    public Task Over => _over.Task;

    /// <summary>How long no piece has gone or come.</summary>
    public TimeSpan IdleTime => _link.Node.Time.GetElapsedTime(Volatile.Read(ref _lastPiece));

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

    /// <summary>Takes no more pieces, says goodbye after the last one, and closes once the remote has done so too.</summary>
    public void Close()
    {
        _closes = true;
        _work.Release();
    }

    /// <summary>Closes the connection.</summary>
    public void End()
    {
        _ended = true;
        _wire.Dispose();
        _work.Release();
        _saidGoodbye.TrySetResult();
        _over.TrySetResult();
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
            case FrameKind.Goodbye:
                _heardGoodbye = true;
                return "no piece follows";
            default:
                return $"a {header.Kind} frame on a bulk lane";
        }
    }

    string? ILaneSink.BeginPiece(ulong number, PieceHeader piece, out Memory<byte> into) => _inbox.Begin(number, piece, out into);

    void ILaneSink.EndPiece(ulong number, PieceHeader piece)
    {
        NotePiece();
        _inbox.End(number, piece);
    }

    ValueTask ILaneSink.OnReceivedAsync()
    {
        _link.Node.Metrics.Received(0, _reader.TakeBytes(), _link.Remote.Peer, Id);
        return default;
    }

    private static byte[] FrameOf(FrameKind kind)
    {
        var frame = new byte[FrameHeader.Size];
        new FrameHeader(kind, 0, 0, 0).Write(frame);
        return frame;
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
            if (_closes)
            {
                await _wire.SendAsync([FrameOf(FrameKind.Goodbye)]);
                _saidGoodbye.TrySetResult();

                // What a wake was for that came too late here.
                _outbox.Wake();
                return;
            }

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
                NotePiece();
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
        else if (_heardGoodbye)
        {
            await CloseTogetherAsync();
        }
        else
        {
            _sink.End($"{Id} broke: {reason}");
        }
    }

    // The side that said goodbye first hangs up: it has heard all that there was.
    private async Task CloseTogetherAsync()
    {
        var wasFirst = _closes;
        Close();
        _changed(this);
        await _saidGoodbye.Task;
        if (!wasFirst)
        {
            _wire.FinishSending();
            await HungUpAsync();
        }

        End();
        _changed(this);
    }

    private async Task HungUpAsync()
    {
        try
        {
            var rest = new byte[ReceiveBufferBytes];
            while (await _wire.ReceiveAsync(rest) > 0)
            {
            }
        }
        catch (IOException)
        {
            // That is how it hung up.
        }
    }

    private void NotePiece() => Volatile.Write(ref _lastPiece, _link.Node.Time.GetTimestamp());
}
