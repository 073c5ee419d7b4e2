// Longer than most: both directions of one connection end together, for one reason, and what either is left with is settled at that end.
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace Geo.Messaging;

/// <summary>
/// One live connection to a peer, for one channel: a bounded queue with one writer, one receive loop, and the requests in flight on it.
/// It ends once, for one reason; then every request on it ends at once, as refused where it was certainly not sent and unknown elsewhere.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "A lane's end, which always comes, disposes what it owns.")]
internal sealed class Lane : IFrameSink, IReplySender
{
    private static readonly TimeSpan FarewellTime = TimeSpan.FromSeconds(1);

    private readonly LaneContext _context;
    private readonly IWireConnection _wire;
    private readonly OutboundQueue _queue;
    private readonly PendingRequests _pending;
    private readonly InboundMessages _inbound;
    private readonly EndedRequests _replied;
    private readonly Interlude _interlude = new();
    private readonly FrameReceiver _receiver;
    private readonly TaskCompletionSource<string> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ChannelOptions _channel;
    private readonly int _maxSendBytes;
    private readonly bool _carriesTraces;
    private string? _endReason;
    private bool _leaving;
    private int _probes;
    private BulkChannel? _bulk;
    private LinkBudget? _budget;

    public Lane(LaneContext context, IWireConnection wire, PeerIdentity remote, LaneId id, int version, int remoteMaxMessageBytes)
    {
        _context = context;
        _wire = wire;
        Version = version;
        _carriesTraces = version >= WireVersions.WithTraces;
        Remote = remote;
        Id = id;
        _channel = context.Channels.OptionsOf(id.Channel);
        _maxSendBytes = Math.Min(context.Options.MaxMessageBytes, remoteMaxMessageBytes);
        _queue = new OutboundQueue(
            _channel, _maxSendBytes, context.Time, (reason, count) => context.Metrics.Dropped(reason, remote.Peer, id, count));
        _pending = new PendingRequests(
            context.Time, context.Options.MaxPendingRequests, () => Remote.Peer.Name, number => Tell(FrameKind.Cancel, number));
        _inbound = new InboundMessages(context, remote, id, this, _interlude.Cut);
        _replied = new EndedRequests(context.Turns, _interlude.Cut);
        _receiver = new FrameReceiver(wire, context.Options.ReceiveBufferBytes, context.Options.MaxMessageBytes, version, context.Time);
    }

    /// <summary>Who is at the other end.</summary>
    public PeerIdentity Remote { get; }

    /// <summary>Which of the link's connections it is.</summary>
    public LaneId Id { get; }

    /// <summary>The wire version that both ends speak.</summary>
    public int Version { get; }

    /// <summary>True when one side has said goodbye: what is queued is let out, nothing new comes in.</summary>
    public bool IsLeaving => Volatile.Read(ref _leaving);

    /// <summary>False once the lane is ending: nothing more can be sent on it.</summary>
    public bool IsOpen => Volatile.Read(ref _endReason) is null;

    /// <summary>Ends with the reason for which the lane ended.</summary>
    public Task<string> Ended => _ended.Task;

    /// <summary>The bytes that wait to be sent.</summary>
    public long QueuedBytes => _queue.Bytes + (_bulk?.Outbound.Bytes ?? 0);

    /// <summary>What it sends.</summary>
    internal OutboundQueue Queue => _queue;

    /// <summary>What stripes its channel's large messages; null when they go in fragments on this lane.</summary>
    internal BulkChannel? Bulk => _bulk;

    /// <summary>Becomes part of a link; before the lane starts.</summary>
    /// <param name="budget">The link's, which is told of small messages.</param>
    /// <param name="bulk">What stripes the channel's large messages; null when they go in fragments on this lane.</param>
    public void Join(LinkBudget budget, BulkChannel? bulk) => (_budget, _bulk) = (budget, bulk);

    /// <summary>Starts sending and receiving.</summary>
    public void Start()
    {
        // The loops outlive whoever opened the lane and must not carry its ambient context into every handler.
        using (ExecutionContext.IsFlowSuppressed() ? default(AsyncFlowControl?) : ExecutionContext.SuppressFlow())
        {
            _ = Task.Run(RunAsync);
        }
    }

    public SendOutcome TrySend(string service, ReadOnlySpan<byte> payload, PartitionKey key) =>
        payload.Length > _maxSendBytes ? SendOutcome.TooLarge : Append(FrameKind.OneWay, 0, service, payload, key, out _);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<SendOutcome> SendAsync(
        string service, ReadOnlyMemory<byte> payload, PartitionKey key, CancellationToken cancellationToken)
    {
        var outcome = TrySend(service, payload.Span, key);
        while (outcome == SendOutcome.Full)
        {
            // Asked for before the next attempt, so that room made in between is not missed.
            var room = WhenRoomAsync();
            outcome = TrySend(service, payload.Span, key);
            if (outcome == SendOutcome.Full)
            {
                await room.WaitAsync(cancellationToken);
                outcome = TrySend(service, payload.Span, key);
            }
        }

        return outcome;
    }

    public ValueTask<ClusterReply> RequestAsync(
        string service, ReadOnlyMemory<byte> payload, PartitionKey key, TimeSpan timeout, CancellationToken cancellationToken)
    {
        if (TryRequest(service, payload, key, timeout, cancellationToken, out var end))
        {
            return end;
        }

        if (_channel.Overflow == OverflowPolicy.Wait)
        {
            return WaitToRequestAsync(service, payload, key, timeout, cancellationToken);
        }

        _context.Metrics.Dropped(nameof(SendOutcome.Full), Remote.Peer, Id);
        return new(ClusterReply.Refused($"the queue of {Id} to {Remote.Peer} is full"));
    }

    SendOutcome IReplySender.Reply(FrameKind kind, ulong number, ReadOnlySpan<byte> payload) =>
        _bulk is not null && kind == FrameKind.Reply && _bulk.Takes(FrameHeader.Size + payload.Length)
            ? _bulk.Outbound.TryAppend(kind, number, "", payload, default, null, out _)
            : _queue.TryAppend(kind, number, "", payload, default, out _);

    SendOutcome IReplySender.ReplyInPlace(ulong number, ArraySegment<byte> rented)
    {
        if (_bulk is not null && _bulk.Takes(FrameHeader.Size + rented.Count))
        {
            return _bulk.Outbound.TryReplyInPlace(number, rented);
        }

        var outcome = _queue.TryAppend(FrameKind.Reply, number, "", rented, default, out _);
        _context.Buffers.Return(rented.Array!);
        return outcome;
    }

    /// <summary>A large message has arrived on the channel's bulk lanes and it is its turn.</summary>
    /// <param name="header">Its frame's header.</param>
    /// <param name="preface">What stands between header and payload.</param>
    /// <param name="payload">Its payload.</param>
    /// <param name="rented">The pooled buffer that holds it.</param>
    public void TakeBulk(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload, byte[] rented)
    {
        if (header.Kind == FrameKind.Reply)
        {
            // The requester may keep it, or give it back.
            var reply = new PooledReply(_context.Buffers, rented);
            if (_pending.Take(header.Number) is { } replied)
            {
                replied.Complete(ClusterReply.Replied(payload, reply));
            }
            else
            {
                reply.Dispose();
            }

            return;
        }

        _inbound.AddBulk(header, preface, payload, rented);
    }

    /// <summary>Ends when not too many large messages wait for their handlers.</summary>
    public Task WhenRoomForBulkAsync() => _inbound.WhenRoomForBulkAsync();

    /// <summary>Ends the lane when the remote has been silent for too long; else probes it.</summary>
    /// <param name="judge">False when this node was itself held up, so that silence proves nothing.</param>
    public void Probe(bool judge)
    {
        var silence = _context.Time.GetElapsedTime(_receiver.LastReceived);
        if (judge && !_inbound.HoldsReceiver && silence > _context.Options.DeadLinkAfter)
        {
            End($"nothing was heard for {silence.TotalSeconds:0.0} s");
            return;
        }

        // One probe at a time waits in a lane that is not draining.
        if (Interlocked.Exchange(ref _probes, 1) == 0)
        {
            Tell(FrameKind.Ping, (ulong)_context.Time.GetTimestamp());
        }
    }

    /// <summary>Lets out what is queued, tells the remote why, and ends.</summary>
    public async Task LeaveAsync(string reason, TimeSpan patience)
    {
        Volatile.Write(ref _leaving, true);
        var started = _context.Time.GetTimestamp();
        try
        {
            if (_bulk is not null)
            {
                await Task.WhenAny(_bulk.Outbound.WhenDrainedAsync(), Ended).WaitAsync(patience, _context.Time);
            }

            Tell(FrameKind.Goodbye, 0, reason);
            _queue.Close();
            patience -= _context.Time.GetElapsedTime(started);
            await Ended.WaitAsync(patience > TimeSpan.Zero ? patience : TimeSpan.Zero, _context.Time);
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
        _bulk?.End();
        _pending.Close(request => WasTaken(request.Position)
            ? ClusterReply.Unknown($"the link to {Remote.Peer} broke while the request was in flight: {reason}")
            : ClusterReply.Refused($"the link to {Remote.Peer} broke before the request was sent: {reason}"));
        _pending.Dispose();
        _context.Metrics.Dropped("link-down", Remote.Peer, Id, _inbound.Close());
    }

    string? IFrameSink.OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload, bool owned)
    {
        switch (header.Kind)
        {
            case FrameKind.OneWay or FrameKind.Request:
                _budget?.NoteSmall();
                _inbound.Add(header, preface, payload, owned);
                return null;
            case FrameKind.Reply:
                _budget?.NoteSmall();
                if (_pending.Take(header.Number) is { } replied)
                {
                    _replied.Add(replied, ClusterReply.Replied(owned ? payload : payload.ToArray()));
                }

                return null;
            case FrameKind.Refused:
                _replied.Add(_pending.Take(header.Number), ClusterReply.Refused(Text(payload)));
                return null;
            case FrameKind.Failed:
                _replied.Add(_pending.Take(header.Number), ClusterReply.Unknown(Text(payload)));
                return null;
            case FrameKind.Cancel:
                // The request may have come in the same buffer.
                PublishToPool();
                _inbound.Cancel(header.Number);
                return null;
            case FrameKind.Ping:
                Tell(FrameKind.Pong, header.Number);
                return null;
            case FrameKind.Pong:
                var roundTrip = _context.Time.GetElapsedTime(unchecked((long)header.Number));
                _context.Metrics.RoundTrip(roundTrip, Remote.Peer, Id);
                _bulk?.NoteProbe(roundTrip);
                return null;
            case FrameKind.Goodbye:
                Volatile.Write(ref _leaving, true);
                return $"{Remote.Peer} closed it: {Text(payload)}";
            case FrameKind.Announce when _bulk is not null:
                // What came before it must be started before it.
                PublishToPool();
                return _bulk.OnFrame(header, payload);
            case FrameKind.Follows when _bulk is not null:
                return Follow(header.Number, payload);
            case > FrameKind.Fragment when _bulk is not null:
                return _bulk.OnFrame(header, payload);
            default:
                return $"{Remote.Peer} sent a {header.Kind} frame where none may be";
        }
    }

    ValueTask IFrameSink.OnReceivedAsync()
    {
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

    private SendOutcome Append(
        FrameKind kind, ulong number, string service, ReadOnlySpan<byte> payload, PartitionKey key, out long position)
    {
        var frameBytes = FrameHeader.MaxPayloadOffset + payload.Length;
        if (!BulkOutbound.IsLarge(frameBytes))
        {
            _budget?.NoteSmall();
        }

        return _bulk is not null && _bulk.Takes(frameBytes)
            ? _bulk.Outbound.TryAppend(kind, number, service, payload, key, Trace(), out position)
            : _queue.TryAppend(kind, number, service, payload, key, out position, Trace());
    }

    private SendOutcome AppendRequest(
        ulong number, string service, ReadOnlyMemory<byte> payload, PartitionKey key, out long position, out OutboundBulk? loan)
    {
        var frameBytes = FrameHeader.MaxPayloadOffset + payload.Length;
        if (_bulk is not null && BulkOutbound.IsLarge(frameBytes) && _bulk.Takes(frameBytes))
        {
            return _bulk.Outbound.TryLend(number, service, payload, key, Trace(), out position, out loan);
        }

        loan = null;
        return Append(FrameKind.Request, number, service, payload.Span, key, out position);
    }

    private bool WasTaken(long position) =>
        BulkOutbound.IsTicket(position) ? _bulk!.Outbound.WasTaken(position) : _queue.WasTaken(position);

    private Task WhenRoomAsync() =>
        _bulk is null ? _queue.WhenRoomAsync() : Task.WhenAny(_queue.WhenRoomAsync(), _bulk.Outbound.WhenRoomAsync());

    private string? Follow(ulong number, ReadOnlyMemory<byte> frame)
    {
        if (_bulk!.Arrivals.Follow(number, frame, out var header, out var isNext) is { } fault)
        {
            return $"{Remote.Peer} sent {fault}";
        }

        if (isNext)
        {
            _inbound.Add(header, frame.Span[FrameHeader.Size..header.PayloadOffset], frame[header.PayloadOffset..], owned: false);
        }

        return null;
    }

    private Activity? Trace() => _carriesTraces ? TraceContext.Current : null;

    private static string Text(ReadOnlyMemory<byte> payload) => Encoding.UTF8.GetString(payload.Span);

    /// <summary>Says something of the link itself: small, and never refused.</summary>
    public void Tell(FrameKind kind, ulong number, string text = "") =>
        _queue.TryAppend(kind, number, "", Encoding.UTF8.GetBytes(text), default, out _);

    // False when the queue is full; else the request has its end, good or bad.
    private bool TryRequest(
        string service, ReadOnlyMemory<byte> payload, PartitionKey key, TimeSpan timeout, CancellationToken cancellationToken,
        out ValueTask<ClusterReply> end)
    {
        if (payload.Length > _maxSendBytes)
        {
            _context.Metrics.Dropped(nameof(SendOutcome.TooLarge), Remote.Peer, Id);
            end = new(
                ClusterReply.Refused(
                    $"a request of {payload.Length} bytes to {Remote.Peer} is larger than MaxMessageBytes ({_maxSendBytes}) allows"));
            return true;
        }

        if (_pending.TryAdd(timeout) is not { } request)
        {
            _context.Metrics.Dropped("too-many-requests", Remote.Peer, Id);
            end = new(ClusterReply.Refused(
                $"no request to {Remote.Peer} can be added: the link is down or {_context.Options.MaxPendingRequests} requests wait "
                + "already"));
            return true;
        }

        end = request.End;
        var number = request.Number;
        switch (AppendRequest(number, service, payload, key, out var position, out var loan))
        {
            case SendOutcome.Queued:
                request.Position = position;
                request.Lend(loan);
                request.CancelWith(cancellationToken);
                return true;
            case SendOutcome.Full:
                _pending.Withdraw(number);
                return false;
            default:
                _pending.Take(number)?.Complete(ClusterReply.Refused($"the link to {Remote.Peer} is down"));
                return true;
        }
    }

    // Rare, so it may cost what it costs: the lane is full, and its channel says that requests wait for room within their time-out.
    private async ValueTask<ClusterReply> WaitToRequestAsync(
        string service, ReadOnlyMemory<byte> payload, PartitionKey key, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var started = _context.Time.GetTimestamp();
        while (true)
        {
            var room = WhenRoomAsync();
            var left = timeout - _context.Time.GetElapsedTime(started);
            if (left > TimeSpan.Zero && TryRequest(service, payload, key, left, cancellationToken, out var end))
            {
                return await end;
            }

            try
            {
                await room.WaitAsync(left > TimeSpan.Zero ? left : TimeSpan.Zero, _context.Time, cancellationToken);
            }
            catch (TimeoutException)
            {
                _context.Metrics.Dropped(nameof(SendOutcome.Full), Remote.Peer, Id);
                return ClusterReply.Refused($"the queue of {Id} to {Remote.Peer} had no room for {timeout.TotalSeconds:0.###} s");
            }
        }
    }

    private async Task RunAsync()
    {
        var writing = WriteAsync();
        try
        {
            var (reason, isFault) = await _receiver.RunAsync(this);
            await StartTheLastAsync();
            if (isFault)
            {
                MessagingLog.ProtocolBroken(_context.Logger, Remote.Peer, _wire.Remote, reason);
                await FarewellAsync(reason, writing);
            }

            End(reason);
        }
#pragma warning disable CA1031 // Even a fault of this library must not leave requesters waiting on a lane that nobody reads.
        catch (Exception e)
#pragma warning restore CA1031
        {
            MessagingLog.LaneFailed(_context.Logger, e, Remote.Peer);
            End($"an internal fault: {e.Message}");
        }

        await writing;
        await _inbound.WhenIdleAsync();
        _context.Metrics.Dropped("link-down", Remote.Peer, Id, _queue.Discard());
        _ended.TrySetResult(_endReason ?? throw new UnreachableException());
    }

    // What arrived before the lane's end is started before it, and so before anything of the link that follows.
    private async Task StartTheLastAsync()
    {
        PublishToPool();
        try
        {
            await _inbound.WhenIdleAsync().WaitAsync(FarewellTime, _context.Time);
        }
        catch (TimeoutException)
        {
            // A handler blocks: what waits behind it is dropped, and counted, with the lane.
        }
    }

    // Tells a remote that broke the protocol why it is cut off, if it still listens.
    private async Task FarewellAsync(string reason, Task writing)
    {
        Tell(FrameKind.Goodbye, 0, reason);
        _queue.Close();
        try
        {
            await writing.WaitAsync(FarewellTime, _context.Time);
        }
        catch (TimeoutException)
        {
            // It does not listen; the lane's end says the rest.
        }
    }

    private async Task WriteAsync()
    {
        var batch = new List<ArraySegment<byte>>();
        try
        {
            while (_queue.TryTake(batch) || await _queue.WaitToTakeAsync())
            {
                if (batch.Count == 0)
                {
                    continue;
                }

                await _wire.SendAsync(batch);
                Volatile.Write(ref _probes, 0);
                _context.Metrics.Sent(_queue.Release(), batch, Remote.Peer, Id);
            }

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
            MessagingLog.LaneFailed(_context.Logger, e, Remote.Peer);
            End($"an internal fault: {e.Message}");
        }
    }
}
