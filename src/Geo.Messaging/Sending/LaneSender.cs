using System.Runtime.CompilerServices;

namespace Geo.Messaging;

/// <summary>
/// What a lane's users send: small messages by its queue, large ones, and those that must go behind one of their key, by the outbox.
/// </summary>
internal sealed class LaneSender(LinkContext link, LaneId id, OutboundQueue queue, PieceChannel pieces) : IReplySender
{
    private readonly ChannelOptions _channel = link.Node.Channels.OptionsOf(id.Channel);

    /// <summary>The largest payload that both sides take.</summary>
    public int MaxBytes { get; } = Math.Min(link.Node.Options.MaxMessageBytes, link.Terms.RemoteTakesBytes);

    /// <summary>True when a request waits for room in a full lane.</summary>
    public bool WaitsForRoom => _channel.Overflow == OverflowPolicy.Wait;

    /// <summary>The bytes that wait to be sent.</summary>
    public long QueuedBytes => queue.Bytes + pieces.Outbox.Bytes;

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

    /// <summary>Sends a request; a large one from where its payload lies.</summary>
    /// <param name="number">The request's number.</param>
    /// <param name="service">The service's name.</param>
    /// <param name="payload">The payload, which stays as it is until the loan ends.</param>
    /// <param name="key">The partition key.</param>
    /// <param name="position">Where the request is, for <see cref="WasTaken"/>.</param>
    /// <param name="loan">What is to be told when the request ends; null when the payload was copied.</param>
    public SendOutcome TryRequest(
        ulong number, string service, ReadOnlyMemory<byte> payload, PartitionKey key, out long position, out OutgoingMessage? loan)
    {
        var frameBytes = FrameHeader.MaxPayloadOffset + payload.Length;
        if (FrameHeader.IsLarge(frameBytes) && pieces.Takes(frameBytes))
        {
            return pieces.Outbox.TryLend(number, service, payload, key, TraceContext.Current, out position, out loan);
        }

        loan = null;
        return Append(FrameKind.Request, number, service, payload.Span, key, out position);
    }

    /// <summary>True when some of the request at that position may have been sent; false when it certainly has not.</summary>
    public bool WasTaken(long position) =>
        LargeOutbox.IsTicket(position) ? pieces.Outbox.WasTaken(position) : queue.WasTaken(position);

    /// <summary>Ends when room has become, or the lane has ended.</summary>
    public Task<Task> WhenRoomAsync() => Task.WhenAny(queue.WhenRoomAsync(), pieces.Outbox.WhenRoomAsync());

    SendOutcome IReplySender.Reply(FrameKind kind, ulong number, ReadOnlySpan<byte> payload) =>
        kind == FrameKind.Reply && pieces.Takes(FrameHeader.Size + payload.Length)
            ? pieces.Outbox.TryAppend(kind, number, "", payload, default, null, out _)
            : queue.TryAppend(kind, number, "", payload, default, out _);

    SendOutcome IReplySender.ReplyInPlace(ulong number, ArraySegment<byte> rented)
    {
        pieces.Takes(FrameHeader.Size + rented.Count);
        return pieces.Outbox.TryReplyInPlace(number, rented);
    }

    private SendOutcome Append(
        FrameKind kind, ulong number, string service, ReadOnlySpan<byte> payload, PartitionKey key, out long position)
    {
        var frameBytes = FrameHeader.MaxPayloadOffset + payload.Length;
        if (!FrameHeader.IsLarge(frameBytes))
        {
            link.Budget.NoteSmall();
        }

        if (!pieces.Takes(frameBytes))
        {
            return queue.TryAppend(kind, number, service, payload, key, out position, TraceContext.Current);
        }

        var outcome = pieces.Outbox.TryAppend(kind, number, service, payload, key, TraceContext.Current, out position);
        if (_channel.Monotonic && kind == FrameKind.OneWay && outcome == SendOutcome.Queued && FrameHeader.IsLarge(frameBytes))
        {
            // What is small and older would leave once its window ends, after this one.
            queue.Supersede(service, key);
        }

        return outcome;
    }
}
