using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Geo.Messaging;

/// <summary>
/// One live connection to a peer, for one channel: a bounded queue with one writer, one reader, and the requests in flight on it. It ends
/// once, for one reason; then every request on it ends at once, as refused where it was certainly not sent and unknown elsewhere.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "A lane's end, which always comes, disposes what it owns.")]
internal sealed class Lane : ILaneSink, IPieceSink
{
    /// <summary>
    /// How long a handler may block, once its link ends, before what waits behind it is given up, so that its peer can come back.
    /// </summary>
    public static readonly TimeSpan HandOverTime = TimeSpan.FromMilliseconds(100);

    private static readonly TimeSpan FarewellTime = TimeSpan.FromSeconds(1);

    private readonly LinkContext _link;
    private readonly NodeContext _node;
    private readonly IWireConnection _wire;
    private readonly OutboundQueue _queue;
    private readonly PieceChannel _pieces;
    private readonly LaneSender _sender;
    private readonly LaneRequests _requests;
    private readonly Replies _replies;
    private readonly InboundMessages _inbound;
    private readonly EndedRequests _replied;
    private readonly Interlude _interlude = new();
    private readonly LaneReader _reader;
    private readonly LaneWriter _writer;
    private readonly TaskCompletionSource<string> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private string? _endReason;
    private bool _leaving;
    private bool _heardAll;
    private int _frames;

    public Lane(LinkContext link, IWireConnection wire, LaneId id)
    {
        (_link, _node, _wire, Id) = (link, link.Node, wire, id);
        var options = _node.Options;
        _queue = new OutboundQueue(
            _node.Channels.OptionsOf(id.Channel), options.MaxAnswerBytes, _node.Time,
            (reason, count) => _node.Metrics.Dropped(reason, Remote.Peer, id, count));
        _pieces = new PieceChannel(link, id, _queue, this);
        _sender = new LaneSender(link, id, _queue, _pieces);
        _requests = new LaneRequests(link, id, _sender, TellGivenUp);
        _replies = new Replies(link, id, _sender);
        _inbound = new InboundMessages(link, new HandlerCalls(link, id, _replies), _interlude.Cut);
        _replied = new EndedRequests(_node.Bursts, _interlude.Cut);
        _reader = new LaneReader(wire, options.ReceiveBufferBytes, options.MaxMessageBytes, _node.Time);
        _writer = new LaneWriter(wire, _queue, _pieces.Feed, link, id, End);
    }

    /// <summary>Who is at the other end.</summary>
    public PeerIdentity Remote => _link.Remote;

    /// <summary>Which of the link's connections it is.</summary>
    public LaneId Id { get; }

    /// <summary>True when one side has said goodbye: what is queued is let out, nothing new comes in.</summary>
    public bool IsLeaving => Volatile.Read(ref _leaving);

    /// <summary>False once the lane is ending: nothing more can be sent on it.</summary>
    public bool IsOpen => Volatile.Read(ref _endReason) is null && !Volatile.Read(ref _heardAll);

    /// <summary>Ends with the reason for the lane's end. A handler that blocks may still run then; none is started any more.</summary>
    public Task<string> Ended => _ended.Task;

    /// <summary>What its users send.</summary>
    public LaneSender Sender => _sender;

    /// <summary>The requests that they make.</summary>
    public LaneRequests Requests => _requests;

    /// <summary>Its large messages, and the bulk lanes beside it.</summary>
    public PieceChannel Pieces => _pieces;

    /// <summary>Starts sending and receiving.</summary>
    public void Start()
    {
        // The loops outlive whoever opened the lane and must not carry its ambient context into every handler.
        using (ExecutionContext.IsFlowSuppressed() ? default(AsyncFlowControl?) : ExecutionContext.SuppressFlow())
        {
            _ = Task.Run(RunAsync);
        }
    }

    void IPieceSink.HandOver(IncomingMessage message)
    {
        if (message.Header.Kind != FrameKind.Reply)
        {
            _inbound.AddBehind(message.Header, message.Preface, message.Payload, message);
            return;
        }

        // The requester may keep it, or give it back.
        var payload = message.Payload;
        var reply = new PooledReply(message.Detach()!);
        message.Begin();
        if (_requests.Take(message.Header.Number) is { } replied)
        {
            replied.Complete(ClusterReply.Replied(payload, reply));
        }
        else
        {
            reply.Dispose();
        }
    }

    void IPieceSink.HandOver(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload) =>
        _inbound.AddBehind(header, preface, payload);

    void IPieceSink.Refuse(FrameHeader header, string reason)
    {
        if (header.Kind == FrameKind.Reply)
        {
            _node.Metrics.Dropped("no-memory", Remote.Peer, Id);
            _requests.Take(header.Number)?.Complete(ClusterReply.Unknown($"the reply of {Remote.Peer} was not taken: {reason}"));
            return;
        }

        _replies.Refuse(header.Kind == FrameKind.Request, header.Number, "no-memory", $"{_node.Options.Peer}: {reason}");
    }

    void IPieceSink.WakeWriter() => _queue.Nudge();

    void IPieceSink.Tell(FrameKind kind, ulong number) => _writer.Tell(kind, number);

    void IPieceSink.BreakOff(string fault)
    {
        _node.Metrics.CutOff("protocol");
        MessagingLog.ProtocolBroken(_node.Logger, Remote.Peer, Id.ToString(), fault);
        _ = LeaveAsync(fault, _node.Options.HeartbeatInterval);
    }

    /// <summary>Ends the lane when the remote has been silent for too long; else probes it.</summary>
    /// <param name="judge">False when this node was itself held up, so that silence proves nothing.</param>
    public void Probe(bool judge)
    {
        var silence = _node.Time.GetElapsedTime(_reader.LastReceived);
        if (judge && !_inbound.HoldsReceiver && silence > _node.Options.DeadLinkAfter)
        {
            _node.Metrics.CutOff("silent");
            End($"nothing was heard for {silence.TotalSeconds:0.0} s");
            return;
        }

        _writer.Probe();
        _pieces.Lanes.Probe(judge);
    }

    /// <summary>Lets out what is queued, tells the remote why, and ends.</summary>
    public async Task LeaveAsync(string reason, TimeSpan patience)
    {
        Volatile.Write(ref _leaving, true);
        var started = _node.Time.GetTimestamp();
        try
        {
            await Task.WhenAny(_pieces.Outbox.WhenDrainedAsync(), Ended).WaitAsync(patience, _node.Time);
            _writer.Tell(FrameKind.Goodbye, 0, reason);
            _queue.Close();
            patience -= _node.Time.GetElapsedTime(started);
            await Ended.WaitAsync(patience > TimeSpan.Zero ? patience : TimeSpan.Zero, _node.Time);
        }
        catch (TimeoutException)
        {
            End(reason);
        }
    }

    /// <summary>Ends the lane at once.</summary>
    public void End(string reason)
    {
        if (Interlocked.CompareExchange(ref _endReason, reason, null) is not null)
        {
            return;
        }

        _queue.Close();
        _wire.Dispose();

        // Before the requests end: what they lent is theirs again and needs no copy.
        _pieces.End();
        _requests.Close(reason);
        _node.Metrics.Dropped("link-down", Remote.Peer, Id, _inbound.Close());
    }

    string? ILaneSink.OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload)
    {
        _frames++;
        switch (header.Kind)
        {
            case FrameKind.OneWay or FrameKind.Request:
                _link.Budget.NoteSmall();
                _inbound.Add(header, preface, payload);
                return null;
            case FrameKind.Reply:
                _link.Budget.NoteSmall();
                if (_requests.Take(header.Number) is { } replied)
                {
                    _replied.Add(replied, ClusterReply.Replied(payload.ToArray()));
                }

                return null;
            case FrameKind.Refused:
                _replied.Add(_requests.Take(header.Number), ClusterReply.Refused(Text(payload)));
                return null;
            case FrameKind.Failed:
                _replied.Add(_requests.Take(header.Number), ClusterReply.Unknown(Text(payload)));
                return null;
            case FrameKind.Cancel:
                // The request may have come in the same buffer.
                PublishToPool();
                _inbound.Cancel(header.Number);
                return null;
            case FrameKind.Ping:
                _writer.Tell(FrameKind.Pong, header.Number);
                return null;
            case FrameKind.Pong:
                var roundTrip = _node.Time.GetElapsedTime(unchecked((long)header.Number));
                _node.Metrics.RoundTrip(roundTrip, Remote.Peer, Id);
                _link.Budget.NoteProbe(roundTrip);
                _link.RoundTrip = roundTrip;
                return null;
            case FrameKind.Goodbye:
                Volatile.Write(ref _leaving, true);
                return $"{Remote.Peer} closed it: {Text(payload)}";
            case FrameKind.Announce:
                // What came before it must be started before it.
                PublishToPool();
                return _pieces.OnFrame(header, payload);
            case FrameKind.Follows:
                return Follow(header.Number, payload);
            case FrameKind.Received or FrameKind.Arrived or FrameKind.OpenLanes:
                return _pieces.OnFrame(header, payload);
            default:
                return $"{Remote.Peer} sent a {header.Kind} frame where none may be";
        }
    }

    string? ILaneSink.BeginPiece(ulong number, PieceHeader piece, out Memory<byte> into) => _pieces.Inbox.Begin(number, piece, out into);

    void ILaneSink.EndPiece(ulong number, PieceHeader piece) => _pieces.Inbox.End(number, piece);

    ValueTask ILaneSink.OnReceivedAsync()
    {
        _node.Metrics.Received(_frames, _reader.TakeBytes(), Remote.Peer, Id);
        _frames = 0;
        var replied = _replied.Publish();
        var arrived = _inbound.Publish();
        var room = _inbound.WhenRoomAsync();
        if (room.IsCompleted && replied != arrived)
        {
            return _interlude.RunAsync(replied ? _replied : _inbound);
        }

        // Neither waits behind the other.
        Execute(replied, arrived);
        return room;
    }

    private void PublishToPool() => Execute(_replied.Publish(), _inbound.Publish());

    private void Execute(bool replied, bool arrived)
    {
        if (replied)
        {
            ThreadPool.UnsafeQueueUserWorkItem(_replied, preferLocal: false);
        }

        if (arrived)
        {
            ThreadPool.UnsafeQueueUserWorkItem(_inbound, preferLocal: false);
        }
    }

    private string? Follow(ulong number, ReadOnlyMemory<byte> frame)
    {
        if (_pieces.Inbox.Follow(number, frame, out var header, out var isNext) is { } fault)
        {
            return $"{Remote.Peer} sent {fault}";
        }

        if (isNext)
        {
            _inbound.Add(header, frame.Span[FrameHeader.Size..header.PayloadOffset], frame[header.PayloadOffset..]);
        }

        return null;
    }

    private void TellGivenUp(ulong number) => _writer.Tell(FrameKind.Cancel, number);

    private static string Text(ReadOnlyMemory<byte> payload) => Encoding.UTF8.GetString(payload.Span);

    private async Task RunAsync()
    {
        var writing = WriteAsync();
        try
        {
            var (reason, isFault) = await _reader.RunAsync(this);
            Volatile.Write(ref _heardAll, true);
            await StartTheLastAsync();
            if (isFault)
            {
                _node.Metrics.CutOff("protocol");
                MessagingLog.ProtocolBroken(_node.Logger, Remote.Peer, _wire.Remote, reason);
                await FarewellAsync(reason, writing);
            }

            End(reason);
        }
#pragma warning disable CA1031 // Even a fault of this library must not leave requesters waiting on a lane that nobody reads.
        catch (Exception e)
#pragma warning restore CA1031
        {
            MessagingLog.LaneFailed(_node.Logger, e, Remote.Peer);
            End($"an internal fault: {e.Message}");
        }

        await writing;
        await IsIdleInAsync(HandOverTime);
        _node.Metrics.Dropped("link-down", Remote.Peer, Id, _queue.Discard());
        _ended.TrySetResult(_endReason ?? throw new UnreachableException());
    }

    // What arrived before the lane's end is started before it, and so before anything of the link that follows. Behind a handler that
    // blocks it is dropped, and counted, with the lane.
    private async Task StartTheLastAsync()
    {
        PublishToPool();
        var began = _node.Time.GetTimestamp();
        int left;
        do
        {
            left = _inbound.Unstarted;
        }
        while (!await IsIdleInAsync(HandOverTime) && _inbound.Unstarted < left && _node.Time.GetElapsedTime(began) < FarewellTime);
    }

    private async Task<bool> IsIdleInAsync(TimeSpan time)
    {
        try
        {
            await _inbound.WhenIdleAsync().WaitAsync(time, _node.Time);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    // Tells a remote that broke the protocol why it is cut off, if it still listens.
    private async Task FarewellAsync(string reason, Task writing)
    {
        _writer.Tell(FrameKind.Goodbye, 0, reason);
        _queue.Close();
        try
        {
            await writing.WaitAsync(FarewellTime, _node.Time);
        }
        catch (TimeoutException)
        {
            // It does not listen; the lane's end says the rest.
        }
    }

    private async Task WriteAsync()
    {
        try
        {
            await _writer.RunAsync();
            _wire.FinishSending();
        }
        catch (IOException e)
        {
            End(e.Message);
        }
#pragma warning disable CA1031 // As in RunAsync: whatever stops the writer ends the lane.
        catch (Exception e)
#pragma warning restore CA1031
        {
            MessagingLog.LaneFailed(_node.Logger, e, Remote.Peer);
            End($"an internal fault: {e.Message}");
        }
    }
}
