namespace Geo.Messaging;

/// <summary>
/// A connection that carries nothing but pieces of a lane's large messages and probes of its own life. That it breaks ends the link; that
/// both sides have said goodbye on it, after their last pieces, does not.
/// </summary>
internal sealed class BulkLane : ILaneSink
{
    // Little more than what stands before a piece, so that the rest of it is received where it belongs.
    private const int ReceiveBufferBytes = 64;

    private static readonly ChannelOptions Bounds = new();

    private readonly LinkContext _link;
    private readonly IWireConnection _wire;
    private readonly LargeOutbox _outbox;
    private readonly LargeInbox _inbox;
    private readonly IPieceSink _sink;
    private readonly Action<BulkLane> _changed;
    private readonly OutboundQueue _queue;
    private readonly PieceFeed _pieces;
    private readonly LaneReader _reader;
    private readonly LaneWriter _writer;
    private readonly TaskCompletionSource _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task _writing = Task.CompletedTask;
    private long _lastReceived;
    private volatile bool _closes;
    private volatile bool _heardGoodbye;
    private volatile bool _ended;

    // What changed is told of: the remote has said goodbye, and again: the connection is closed.
    public BulkLane(
        LinkContext link, IWireConnection wire, LargeOutbox outbox, LargeInbox inbox, IPieceSink sink, Action<BulkLane> changed, LaneId id)
    {
        (_link, _wire, _outbox, _inbox, _sink, _changed, Id) = (link, wire, outbox, inbox, sink, changed, id);
        var (options, time) = (link.Node.Options, link.Node.Time);
        _queue = new OutboundQueue(Bounds, options.MaxAnswerBytes, time, static (_, _) => { });
        _pieces = new PieceFeed(outbox, wire, () => IsOpen, _queue.Nudge, time);
        _reader = new LaneReader(wire, ReceiveBufferBytes, options.MaxMessageBytes, time);
        _writer = new LaneWriter(wire, _queue, _pieces, link, id, sink.End);
        _lastReceived = time.GetTimestamp();
        wire.PrepareForBulk(isLongPath: true);
    }

    public LaneId Id { get; }

    /// <summary>False once it is being closed: it takes no more pieces.</summary>
    public bool IsOpen => !_closes;

    /// <summary>True until the remote has said goodbye: only then may another lane have its number.</summary>
    public bool HoldsNumber => !_heardGoodbye;

    /// <summary>Ends when the connection is closed, with or before the link.</summary>
    public Task Over => _over.Task;

    public TimeSpan IdleTime => _link.Node.Time.GetElapsedTime(Math.Max(_pieces.LastSent, Volatile.Read(ref _lastReceived)));

    // Unsafe: as a lane's, its loops carry no context.
    public void Start() => ThreadPool.UnsafeQueueUserWorkItem(
        static lane =>
        {
            // Not within this call: it would receive nothing before the network has taken all that there is to send.
            lane._writing = Task.Run(() => lane.GuardAsync(lane.WriteAsync));
            _ = lane.GuardAsync(lane.ReceiveAsync);
        },
        this, preferLocal: false);

    /// <summary>Ends the link when the remote has been silent for too long on this connection; else probes it.</summary>
    public void Probe(bool judge, bool repliesAreFull) =>
        _writer.Probe(_reader, judge, holdsReceiver: _heardGoodbye, repliesAreFull || _heardGoodbye); // Which says nothing more then.

    /// <summary>Takes no more pieces, says goodbye after the last one, and closes once the remote has done so too.</summary>
    public void Close()
    {
        _closes = true;
        _writer.Tell(FrameKind.Goodbye, 0);
        _queue.Close();
    }

    public void End()
    {
        _ended = true;
        _queue.Close();
        _wire.Dispose();
        _over.TrySetResult();
    }

    string? ILaneSink.OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload)
    {
        switch (header.Kind)
        {
            case FrameKind.Ping:
                _writer.Tell(FrameKind.Pong, header.Number);
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
        Volatile.Write(ref _lastReceived, _link.Node.Time.GetTimestamp());
        _inbox.End(number, piece);
    }

    ValueTask ILaneSink.OnReceivedAsync()
    {
        _link.Node.Metrics.Received(0, _reader.TakeBytes(), _link.Remote, Id);
        return default;
    }

    private async Task GuardAsync(Func<Task> loop)
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
                _sink.End($"an internal fault: {e.Message}");
                MessagingLog.LaneFailed(_link.Node.Logger, e, _link.Remote.Peer);
            }
        }
    }

    private async Task WriteAsync()
    {
        try
        {
            await _writer.RunAsync();
        }
        finally
        {
            _queue.Discard();
        }

        // What a wake was for that came too late here.
        _outbox.Wake();
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
        await _writing;
        var hungUp = Task.CompletedTask;
        if (!wasFirst)
        {
            _wire.FinishSending();
            hungUp = HandshakeStream.HungUpAsync(_wire);
            await hungUp.WaitAsync(_link.Node.Options.DeadLinkAfter, _link.Node.Time)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        // Breaking the connection, by whichever side, is a way to hang up, too.
        End();
        await hungUp.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _changed(this);
    }
}
