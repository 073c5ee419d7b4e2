using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;

namespace Geo.Messaging;

/// <summary>
/// What a lane's users send: small messages by its queue, large ones, and those that must go behind one of their key, by the outbox.
/// </summary>
internal sealed class LaneSender(LinkContext link, LaneId id, OutboundQueue queue, PieceChannel pieces)
{
    private readonly ChannelOptions _channel = link.Node.Channels.OptionsOf(id.Channel);
    private readonly LargeOutbox _outbox = pieces.Outbox;

    /// <summary>The largest payload that both sides take.</summary>
    public int MaxBytes { get; } = Math.Min(link.Node.Options.MaxMessageBytes, link.Terms.RemoteTakesBytes);

    /// <summary>True when a request waits for room in a full lane.</summary>
    public bool WaitsForRoom => _channel.Overflow == OverflowPolicy.Wait;

    /// <summary>The bytes that wait to be sent.</summary>
    public long QueuedBytes => queue.Taken.Bytes + _outbox.Bytes;

    /// <summary>How full the lane is, from 0 to 1, by bytes or messages, whichever is nearer its bound.</summary>
    public double Fill => Math.Min(
        1, Math.Max((double)QueuedBytes / _channel.QueueBytes, (double)queue.Taken.Messages / _channel.QueueMessages));

    public SendOutcome TrySend(string service, ReadOnlySpan<byte> payload, PartitionKey key) =>
        payload.Length > MaxBytes ? SendOutcome.TooLarge : Append(FrameKind.OneWay, 0, service, payload, key, out _);

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

    /// <summary>Sends a request; a large one from where its payload lies, which is told when the request ends.</summary>
    public SendOutcome TryRequest(
        ulong number, string service, ReadOnlyMemory<byte> payload, PartitionKey key, out long position, out OutgoingMessage? loan)
    {
        var trace = TraceContext.Current;
        if (IsLarge(service, payload.Length, trace))
        {
            pieces.Lanes.Open();
            return _outbox.TryLend(number, service, payload, key, trace, out position, out loan);
        }

        loan = null;
        return Append(FrameKind.Request, number, service, payload.Span, key, out position);
    }

    /// <summary>True when some of the request at that position may have been sent; false when it certainly has not.</summary>
    public bool WasTaken(long position) => LargeOutbox.IsTicket(position) ? _outbox.WasTaken(position) : queue.WasTaken(position);

    /// <summary>Ends when room has become, or the lane has ended.</summary>
    public Task<Task> WhenRoomAsync() => Task.WhenAny(queue.WhenRoomAsync(), _outbox.WhenRoomAsync());

    /// <summary>True while no further reply is sure to find room.</summary>
    public bool IsFullOfReplies => queue.Taken.IsFullOfReplies || !link.Account.Replies.HasRoom(FrameHeader.MaxFrameBytes);

    /// <summary>Sends a reply, a refusal or a failure; copies the payload.</summary>
    public SendOutcome Reply(FrameKind kind, ulong number, ReadOnlySpan<byte> payload)
    {
        if (kind != FrameKind.Reply || !new FrameHeader(kind, number, 0, payload.Length).IsLarge)
        {
            return queue.TryAppend(kind, number, "", payload, default, out _);
        }

        pieces.Lanes.Open();
        return _outbox.TryAppend(kind, number, "", payload, default, null, out _);
    }

    /// <summary>Sends a large reply from the pooled buffer that it is in, which it takes over.</summary>
    public SendOutcome ReplyInPlace(ulong number, ArraySegment<byte> rented)
    {
        pieces.Lanes.Open();
        return _outbox.TryReplyInPlace(number, rented);
    }

    private SendOutcome Append(
        FrameKind kind, ulong number, string service, ReadOnlySpan<byte> payload, PartitionKey key, out long position)
    {
        var trace = TraceContext.Current;
        if (IsLarge(service, payload.Length, trace))
        {
            pieces.Lanes.Open();
            var outcome = _outbox.TryAppend(kind, number, service, payload, key, trace, out position);
            if (_channel.Monotonic && kind == FrameKind.OneWay && outcome == SendOutcome.Queued)
            {
                // What is small and older would leave once its window ends, after this one.
                queue.Supersede(service, key);
            }

            return outcome;
        }

        link.Budget.NoteSmall();
        return _outbox.IsBusy
            ? _outbox.TryAppend(kind, number, service, payload, key, trace, out position)
            : queue.TryAppend(kind, number, service, payload, key, out position, trace);
    }

    // Counts the bytes of the name only where it matters.
    private static bool IsLarge(string service, int payloadBytes, Activity? trace) =>
        payloadBytes >= PieceHeader.LeastTotal
        && new FrameHeader(FrameKind.OneWay, 0, Encoding.UTF8.GetByteCount(service), payloadBytes, trace is not null).IsLarge;
}
