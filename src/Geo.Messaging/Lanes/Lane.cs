using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Geo.Messaging;

/// <summary>
/// One live connection to a peer, for one channel: a bounded queue with one writer, one reader, and the requests in flight on it. It ends
/// once, for one reason; then every request on it ends at once, as refused where it was certainly not sent and unknown elsewhere.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "A lane's end, which always comes, disposes what it owns.")]
internal sealed class Lane : IPieceSink
{
    private static readonly TimeSpan FarewellTime = TimeSpan.FromSeconds(1);

    private readonly LinkContext _link;
    private readonly NodeContext _node;
    private readonly IWireConnection _wire;
    private readonly OutboundQueue _queue;
    private readonly Replies _replies;
    private readonly LaneReader _reader;
    private readonly LaneWriter _writer;
    private readonly LaneDispatch _dispatch;
    private readonly LaneFrames _frames;
    private readonly TaskCompletionSource<string> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private string? _endReason;
    private bool _leaving;
    private bool _heardAll;

    public Lane(LinkContext link, IWireConnection wire, LaneId id)
    {
        (_link, _node, _wire, Id) = (link, link.Node, wire, id);
        var options = _node.Options;
        _queue = new OutboundQueue(
            _node.Channels.OptionsOf(id.Channel), options.MaxAnswerBytes, _node.Time,
            (reason, count) => _node.Metrics.Dropped(reason, Remote, id, count), link.Account.Replies);
        Pieces = new PieceChannel(link, id, _queue, this);
        Sender = new LaneSender(link, id, _queue, Pieces);
        Requests = new LaneRequests(link, id, Sender, number => _writer!.Tell(FrameKind.Cancel, number));
        _replies = new Replies(link, id, Sender);
        _reader = new LaneReader(wire, options.ReceiveBufferBytes, options.MaxMessageBytes, _node.Time);
        _writer = new LaneWriter(wire, _queue, Pieces.Feed, link, id, End);
        _dispatch = new LaneDispatch(link, new HandlerCalls(link, id, _replies));
        _frames = new LaneFrames(link, id, _reader, _writer, Requests, Pieces, _dispatch);
    }

    public PeerIdentity Remote => _link.Remote;

    public LaneId Id { get; }

    /// <summary>True when one side has said goodbye: what is queued is let out, nothing new comes in.</summary>
    public bool IsLeaving => Volatile.Read(ref _leaving) || _frames.HasHeardGoodbye;

    /// <summary>False once the lane is ending: nothing more can be sent on it.</summary>
    public bool IsOpen => Volatile.Read(ref _endReason) is null && !Volatile.Read(ref _heardAll);

    /// <summary>Ends with the reason for the lane's end. A handler that blocks may still run then; none is started any more.</summary>
    public Task<string> Ended => _ended.Task;

    public TimeSpan Silence => _reader.Silence;

    public LaneSender Sender { get; }

    public LaneRequests Requests { get; }

    /// <summary>Its large messages, and the bulk lanes beside it.</summary>
    public PieceChannel Pieces { get; }

    // Unsafe: the loops outlive whoever opened the lane and must not carry its ambient context into every handler.
    public void Start() => ThreadPool.UnsafeQueueUserWorkItem(static lane => _ = lane.RunAsync(), this, preferLocal: false);

    void IPieceSink.HandOver(HeldMessage message)
    {
        if (message.Header.Kind != FrameKind.Reply)
        {
            _dispatch.Inbound.AddBehind(message);
            return;
        }

        // The requester may keep it, or give it back.
        var payload = message.Payload;
        var reply = new PooledReply(message.Detach()!);
        message.Begin();
        if (Requests.Take(message.Header.Number) is { } replied)
        {
            replied.Complete(ClusterReply.Replied(payload, reply));
        }
        else
        {
            reply.Dispose();
        }
    }

    void IPieceSink.Refuse(FrameHeader header, string reason)
    {
        if (header.Kind == FrameKind.Reply)
        {
            _node.Metrics.Dropped("no-memory", Remote, Id);
            Requests.Take(header.Number)?.Complete(ClusterReply.Unknown($"the reply of {Remote.Peer} was not taken: {reason}"));
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
        if (Volatile.Read(ref _endReason) is not null)
        {
            return;
        }

        var repliesAreFull = _replies.AreFull;
        _writer.Probe(_reader, judge, _dispatch.Inbound.HoldsReceiver, repliesAreFull);
        if (Volatile.Read(ref _endReason) is null)
        {
            Pieces.Lanes.Probe(judge, repliesAreFull);
        }
    }

    /// <summary>Lets out what is queued, tells the remote why, and ends.</summary>
    public async Task LeaveAsync(string reason, TimeSpan patience)
    {
        Volatile.Write(ref _leaving, true);
        var started = _node.Time.GetTimestamp();
        Task drained = Task.WhenAny(Pieces.Outbox.WhenDrainedAsync(), Ended);
        await drained.WaitAsync(patience, _node.Time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!drained.IsCompleted)
        {
            // No goodbye: the remote would wait for what it has of other lanes.
            End(reason);
            return;
        }

        _writer.Tell(FrameKind.Goodbye, 0, reason);
        _queue.Close();
        var left = patience - _node.Time.GetElapsedTime(started);
        await ((Task)Ended).WaitAsync(left > TimeSpan.Zero ? left : TimeSpan.Zero, _node.Time)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        End(reason);
    }

    public void End(string reason)
    {
        if (Interlocked.CompareExchange(ref _endReason, reason, null) is not null)
        {
            return;
        }

        _queue.Close();
        _wire.Dispose();

        // Before the requests end: what they lent is theirs again and needs no copy.
        Pieces.End();
        Requests.Close(reason);
        _dispatch.Inbound.Close();
    }

    private async Task RunAsync()
    {
        // Not within this call: it would receive nothing before the network has taken all that there is to send.
        var writing = Task.Run(() => GuardAsync(WriteAsync));
        await GuardAsync(() => ReceiveAsync(writing));
        await writing;
        await _dispatch.IsIdleInAsync(LaneDispatch.HandOverTime);
        _node.Metrics.Dropped("link-down", Remote, Id, _queue.Discard());
        _ended.TrySetResult(_endReason ?? throw new UnreachableException());
    }

    private async Task ReceiveAsync(Task writing)
    {
        var (reason, isFault) = await _reader.RunAsync(_frames);
        Volatile.Write(ref _heardAll, true);
        await _dispatch.StartTheLastAsync();
        if (isFault)
        {
            // It is told why it is cut off, if it still listens.
            _node.Metrics.CutOff("protocol");
            MessagingLog.ProtocolBroken(_node.Logger, Remote.Peer, _wire.Remote, reason);
            _writer.Tell(FrameKind.Goodbye, 0, reason);
            _queue.Close();
            await writing.WaitAsync(FarewellTime, _node.Time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        End(reason);
    }

    private async Task WriteAsync()
    {
        await _writer.RunAsync();
        _wire.FinishSending();
    }

    private async Task GuardAsync(Func<Task> loop)
    {
        try
        {
            await loop();
        }
        catch (IOException e)
        {
            End(e.Message);
        }
#pragma warning disable CA1031 // Even a fault of this library must not leave requesters waiting on a lane that nobody reads, or writes.
        catch (Exception e)
#pragma warning restore CA1031
        {
            End($"an internal fault: {e.Message}");
            MessagingLog.LaneFailed(_node.Logger, e, Remote.Peer);
        }
    }
}
