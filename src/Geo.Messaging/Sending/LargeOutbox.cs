// Longer than most: what is announced, cut into pieces, acknowledged and held back shares one bound and one lock.
using System.Buffers;
using System.Diagnostics;
using System.Text;

namespace Geo.Messaging;

/// <summary>
/// The sending half of a lane's large messages. A large message is announced at its place in the lane and cut into pieces, and whichever
/// connection of the channel has room takes the next one. What follows it with its key, while it is not known to
/// have arrived, says so and waits at the remote, which hands the two over in order.
/// </summary>
/// <param name="bounds">The channel's bounds and priority.</param>
/// <param name="queue">The lane's.</param>
/// <param name="maxOpenBytes">
/// The most that the remote gathers and holds back for this lane; what exceeds it waits here, or one message goes.
/// </param>
/// <param name="budget">The link's.</param>
/// <param name="givenUp">Told of a request that its requester gave up before any of it was sent: it never will be.</param>
/// <param name="replies">What replies to the peer may take of the node's memory; null for no bound but the channel's.</param>
internal sealed class LargeOutbox(
    ChannelOptions bounds, OutboundQueue queue, long maxOpenBytes, LinkBudget budget, Action givenUp, NodeBudget.Share? replies = null)
{
    // A request's position that is a ticket here, and not a place in the queue's stream.
    private const long FirstTicket = long.MinValue;

    // Taken before the queue's and the budget's, never within them.
    private readonly Lock _lock = new();
    private readonly Queue<OutgoingMessage> _waiting = new();
    private readonly Dictionary<PartitionKey, int> _waitingOf = [];
    private readonly AnnouncedMessages _announced = new(queue, maxOpenBytes);
    private readonly Striping _striping = new();
    private readonly Queue<Action> _idle = new();
    private readonly QueueRoom _taken = new(bounds, 0, replies);
    private readonly Waiters _room = new();
    private readonly Waiters _drained = new();
    private bool _closed;
    private volatile bool _busy;
    private volatile bool _hasPieces;
    private long _lastTicket = FirstTicket;
    private ulong _received;

    public int Priority => bounds.Priority;

    /// <summary>True while a large message is on the way or waits: then small ones must ask here for their place.</summary>
    public bool IsBusy => _busy;

    public bool HasPieces => _hasPieces;

    public bool PathIsLong => budget.UnitsAtOnce == 1;

    public long Bytes => _taken.Bytes;

    /// <summary>True for a position given out here.</summary>
    public static bool IsTicket(long position) => position < long.MinValue / 2;

    /// <summary>Sends a message of any size at its place in the order of its key; copies the payload.</summary>
    public SendOutcome TryAppend(
        FrameKind kind, ulong number, string service, ReadOnlySpan<byte> payload, PartitionKey key, Activity? trace, out long position)
    {
        var header = new FrameHeader(kind, number, Encoding.UTF8.GetByteCount(service), payload.Length, trace is not null);
        lock (_lock)
        {
            // Replies need no order, nor does what follows no large one.
            if (!_closed && !header.IsLarge
                && (kind == FrameKind.Reply || !(_waitingOf.ContainsKey(key) || _announced.HoldBack(key))))
            {
                return queue.TryAppend(kind, number, service, payload, key, out position, trace);
            }

            if (TryReserve(header, out position) is var outcome and not SendOutcome.Queued)
            {
                return outcome;
            }
        }

        // A large copy takes as long as sending it does: it is made while others go on.
        var copy = ArrayPool<byte>.Shared.Rent(payload.Length);
        payload.CopyTo(copy);
        var ordered = kind == FrameKind.Reply ? KeyOfReply(number) : key;
        return Add(new OutgoingMessage(ordered, StartOf(header, service, trace), header, copy.AsMemory(0, payload.Length), position));
    }

    /// <summary>
    /// Sends a large request at its place in the order of its key, from where its payload lies and stays as it is until the loan ends.
    /// </summary>
    public SendOutcome TryLend(
        ulong number, string service, ReadOnlyMemory<byte> payload, PartitionKey key, Activity? trace, out long position,
        out OutgoingMessage? loan)
    {
        var header = new FrameHeader(FrameKind.Request, number, Encoding.UTF8.GetByteCount(service), payload.Length, trace is not null);
        loan = null;
        if (TryReserve(header, out position) is var outcome and not SendOutcome.Queued)
        {
            return outcome;
        }

        return Add(loan = new OutgoingMessage(key, StartOf(header, service, trace), header, payload, position, this));
    }

    /// <summary>A request has ended whose payload was lent: what has not been sent is kept, or never sent when none of it has.</summary>
    public void EndLoan(OutgoingMessage message)
    {
        bool isAwaited;
        lock (_lock)
        {
            isAwaited = message.Number > 0 && !_closed;
            message.IsGivenUp = message.Number == 0 && !_closed;
            if (message.IsGivenUp)
            {
                _taken.Give(1, message.Header.FrameBytes);
                _room.End();
            }
        }

        if (isAwaited)
        {
            // It has been announced, so that the remote waits for it.
            message.Keep();
            return;
        }

        message.GiveBack();
        if (message.IsGivenUp)
        {
            givenUp();
        }
    }

    /// <summary>Sends a large reply from the pooled buffer that it is in, and gives that back.</summary>
    public SendOutcome TryReplyInPlace(ulong number, ArraySegment<byte> rented)
    {
        var header = new FrameHeader(FrameKind.Reply, number, 0, rented.Count);
        var reply = new OutgoingMessage(KeyOfReply(number), StartOf(header, "", null), header, rented, FirstTicket);
        if (TryReserve(header, out _) is var outcome and not SendOutcome.Queued)
        {
            reply.GiveBack();
            return outcome;
        }

        return Add(reply);
    }

    /// <summary>True when some of the message with this position may have been sent; false when it certainly waits whole.</summary>
    public bool WasTaken(long position)
    {
        lock (_lock)
        {
            return !_waiting.Any(message => message.Ticket == position)
                && !_announced.All.Any(message => message.Ticket == position && message.Taken == 0);
        }
    }

    /// <summary>Takes the next piece, which has no more than so many units.</summary>
    /// <returns>False when there is no piece, or no room for it; then the caller is woken, once, when that may have changed.</returns>
    public bool TryTake(Action? wake, out OutgoingMessage message, out PieceHeader piece, int mostUnits = 1)
    {
        // No more than there is room for: who asks for less would always find some first.
        var units = (int)Math.Clamp(budget.Room / PieceHeader.UnitBytes, 1, Math.Min(mostUnits, budget.UnitsAtOnce));
        lock (_lock)
        {
            if (_striping.IsEmpty || !budget.TryTake(this, _striping.NextLength(units)))
            {
                (message, piece) = (null!, default);
                if (wake is not null)
                {
                    _idle.Enqueue(wake);
                }

                return false;
            }

            (message, piece) = _striping.Take(units);
            _hasPieces = !_striping.IsEmpty;
        }

        if (!_hasPieces)
        {
            // Channels of lower priority have waited for this.
            budget.Wake();
        }

        return true;
    }

    public void NoteSent(OutgoingMessage message, PieceHeader piece)
    {
        lock (_lock)
        {
            message.NoteSent();
            if (_closed)
            {
                return;
            }

            _taken.Give(0, piece.Length);
            if (piece.Offset + piece.Length == message.Length)
            {
                // Many may wait for room: they look once a message, and not once a piece.
                var header = message.Header;
                _taken.Give(1, header.PayloadOffset, replyBytes: header.Kind == FrameKind.Reply ? header.FrameBytes : 0);
                NoteBusy();
                _room.End();
            }
        }
    }

    /// <summary>The remote says how many bytes of pieces it has received.</summary>
    /// <returns>How many have come since it said so last.</returns>
    public long NoteReceived(ulong total)
    {
        lock (_lock)
        {
            // Several lanes report, and the reports may pass each other.
            var more = total > _received ? (long)(total - _received) : 0;
            _received += (ulong)more;
            return more;
        }
    }

    public void NoteArrived(ulong number)
    {
        lock (_lock)
        {
            if (_closed || !_announced.TryEnd(number))
            {
                return;
            }

            OpenWaiting();
            NoteBusy();
            if (IsDrained)
            {
                _drained.End();
            }

            // What went on to the lane has left its room here.
            _room.End();
        }

        Wake();
    }

    /// <summary>Wakes as many idle lanes as find pieces, and room in the budget for them.</summary>
    public void Wake()
    {
        for (var pieces = 1 + (budget.Room / PieceHeader.UnitBytes); pieces > 0 && _hasPieces; pieces--)
        {
            Action? wake;
            lock (_lock)
            {
                if (!_idle.TryDequeue(out wake))
                {
                    return;
                }
            }

            wake();
        }
    }

    /// <summary>Ends when room has become, or the channel has ended.</summary>
    public Task WhenRoomAsync()
    {
        lock (_lock)
        {
            return _closed ? Task.CompletedTask : _room.Wait();
        }
    }

    /// <summary>Ends when everything has arrived, or the channel has ended.</summary>
    public Task WhenDrainedAsync()
    {
        lock (_lock)
        {
            return _closed || IsDrained ? Task.CompletedTask : _drained.Wait();
        }
    }

    /// <returns>How many messages were never sent whole.</returns>
    public int Close()
    {
        lock (_lock)
        {
            if (_closed)
            {
                return 0;
            }

            _closed = true;
            _hasPieces = false;
            OutgoingMessage[] left = [.. _waiting.Where(message => !message.IsGivenUp), .. _announced.All];
            var lost = left.Count(message => !message.IsTaken);

            // Also what is lent and just being sent: it ends with the requests.
            foreach (var message in left.Where(message => message.IsLent || !message.IsTaken))
            {
                message.GiveBack();
            }

            _taken.Clear();
            _striping.Clear();
            _room.End();
            _drained.End();
            return lost;
        }
    }

    private bool IsDrained => _announced.IsEmpty && _waiting.Count == 0;

    // A message may have arrived before its sender learns that it is sent, or after.
    private void NoteBusy() => _busy = _taken.Messages > 0 || !IsDrained;

    // Replies need no order: each has a key of its own.
    private static PartitionKey KeyOfReply(ulong number) => new(ulong.MaxValue, number);

    private static byte[] StartOf(FrameHeader header, string service, Activity? trace)
    {
        var start = new byte[header.PayloadOffset];
        header.Write(start, service, trace);
        return start;
    }

    private SendOutcome Add(OutgoingMessage message)
    {
        lock (_lock)
        {
            if (_closed)
            {
                message.GiveBack();
                return SendOutcome.NotConnected;
            }

            _waiting.Enqueue(message);
            _waitingOf[message.Key] = _waitingOf.GetValueOrDefault(message.Key) + 1;
            OpenWaiting();
            NoteBusy();
        }

        Wake();
        return SendOutcome.Queued;
    }

    private SendOutcome TryReserve(FrameHeader header, out long ticket)
    {
        lock (_lock)
        {
            ticket = 0;

            // Neither the announcement of a large one nor what goes behind it would leave: who waits for room here is to wait no longer.
            if (_closed || queue.IsClosed)
            {
                return SendOutcome.NotConnected;
            }

            // A small one behind a large one goes on to the queue, which must have room for it too.
            if (!_taken.TryTake(header.Kind, header.FrameBytes, header.IsLarge ? null : queue.Taken))
            {
                return SendOutcome.Full;
            }

            _busy = true;
            ticket = ++_lastTicket;
            return SendOutcome.Queued;
        }
    }

    // In the order of their coming: a large one that does not fit yet is not passed by for ever.
    private void OpenWaiting()
    {
        while (_waiting.TryPeek(out var message))
        {
            if (!message.IsGivenUp && !_announced.HaveRoomFor(message))
            {
                return;
            }

            _waiting.Dequeue();
            if (--_waitingOf[message.Key] == 0)
            {
                _waitingOf.Remove(message.Key);
            }

            if (message.IsGivenUp)
            {
                continue;
            }

            if (message.IsLarge)
            {
                // Before the announcement, with which the lane's own writer may take the first piece.
                _striping.Add(message);
                _hasPieces = true;
                _announced.Add(message);
            }
            else
            {
                _taken.Give(1, message.Header.FrameBytes);
                _announced.SendBehind(message);
                message.GiveBack();
            }
        }
    }
}
