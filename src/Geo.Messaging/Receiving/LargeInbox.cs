using System.Buffers;

namespace Geo.Messaging;

/// <summary>
/// The receiving half of a lane's large messages: gathers their pieces, which come on any of the channel's connections and in any order,
/// straight in the buffer of the message, and hands messages of one key over in the order in which they were announced, holding back what
/// follows a large one that is not complete. One at a time, by whichever connection completes it.
/// </summary>
/// <param name="maxMessageBytes">The largest payload.</param>
/// <param name="maxOpenBytes">
/// The most bytes of messages whose handlers have not begun, or one message; more is a fault of the remote.
/// </param>
/// <param name="memory">What the remote's messages may take of the node's memory: reserved with the first piece of each.</param>
/// <param name="sink">The lane.</param>
internal sealed class LargeInbox(int maxMessageBytes, long maxOpenBytes, NodeBudget.Share memory, IPieceSink sink)
{
    /// <summary>Where the pieces of refused messages go: written by all connections at once and read by none.</summary>
    public static readonly byte[] Discarded = new byte[PieceHeader.MaxBytes];

    private const string NoMemory = "the large messages of all peers take as much memory as MaxLargeBytes allows";

    // The most that is received and not said: little beside what is on the way.
    private const int MostUntold = 2 * PieceHeader.UnitBytes;

    private readonly Lock _lock = new();
    private readonly Dictionary<ulong, IncomingMessage> _open = [];
    private readonly Queue<IncomingMessage> _complete = new();
    private long _openBytes;
    private ulong _lastAnnounced;
    private long _received;
    private long _told;
    private int _arriving;
    private bool _handsOver;
    private bool _closed;

    /// <summary>The bytes of messages whose handlers have not begun, and of what follows them.</summary>
    public long OpenBytes => Volatile.Read(ref _openBytes);

    /// <summary>A large message takes its place in the order.</summary>
    public string? Announce(ulong number, ReadOnlySpan<byte> announcement)
    {
        if (Announcement.TryRead(announcement, maxMessageBytes, out var after, out var header, out var preface) is { } fault)
        {
            return fault;
        }

        lock (_lock)
        {
            if (number <= _lastAnnounced || after >= number)
            {
                return $"large message {number}, after {after}, announced out of order";
            }

            _lastAnnounced = number;
            if (Open(number, header.PayloadBytes, out var message) is { } wrong)
            {
                return wrong;
            }

            message.Describe(header, preface);
            if (after > 0 && _open.TryGetValue(after, out var before))
            {
                message.Waits = true;
                before.Followers.Enqueue(message);
                return null;
            }

            Complete(message);
        }

        HandOverComplete();
        return null;
    }

    /// <summary>A small message follows a large one.</summary>
    /// <param name="number">The number of the large one.</param>
    /// <param name="frame">The small one's frame, valid during the call.</param>
    /// <param name="header">The header of the small one's frame.</param>
    /// <param name="isNext">True when nothing holds it back, so that the caller is to handle it.</param>
    /// <returns>What is wrong with it; null when it is sound.</returns>
    public string? Follow(ulong number, ReadOnlyMemory<byte> frame, out FrameHeader header, out bool isNext)
    {
        isNext = false;
        if (!FrameHeader.TryRead(frame.Span, maxMessageBytes, out header, out var fault) || header.FrameBytes != frame.Length
            || header.Kind is not (FrameKind.OneWay or FrameKind.Request))
        {
            return fault ?? "something else than a small message behind a large one";
        }

        lock (_lock)
        {
            if (_open.TryGetValue(number, out var before))
            {
                var bytes = frame.Length + Announcement.HeldBackBytes;
                if (_openBytes + bytes > maxOpenBytes)
                {
                    return TooMuch();
                }

                if (memory.TryTake(bytes))
                {
                    _openBytes += bytes;
                    before.Awaited++;
                    var follower = new HeldMessage(this, bytes, before);
                    follower.Describe(header, frame.Span[FrameHeader.Size..header.PayloadOffset]);
                    var copy = ArrayPool<byte>.Shared.Rent(header.PayloadBytes);
                    frame[header.PayloadOffset..].CopyTo(copy);
                    follower.Keep(copy);
                    before.Followers.Enqueue(follower);
                    return null;
                }
            }
            else
            {
                isNext = true;
                return null;
            }
        }

        sink.Refuse(header, NoMemory);
        return null;
    }

    public string? Begin(ulong number, PieceHeader piece, out Memory<byte> into)
    {
        into = default;
        lock (_lock)
        {
            if (_closed)
            {
                return "the link has ended";
            }

            if (Open(number, piece.Total, out var message) is { } wrong)
            {
                return wrong;
            }

            if (message.HasNothing)
            {
                message.Gather(memory.TryTake(piece.Total) ? ArrayPool<byte>.Shared.Rent(piece.Total) : null);
            }

            if (!message.TryBegin(piece, out into))
            {
                return $"a piece at {piece.Offset} of large message {number} that has come already";
            }

            _arriving++;
            return null;
        }
    }

    public void End(ulong number, PieceHeader piece)
    {
        ReceivePolling.GiveWay();
        ulong received;
        bool tells;
        lock (_lock)
        {
            if (_closed)
            {
                return;
            }

            var message = _open[number];
            message.NoteArrived(piece);
            _received += piece.Length;
            received = (ulong)_received;

            // At once when no other piece is just arriving, whose end would say it: the sender's budget, which all channels share, may wait
            // for just this one. With the end of a message, which is told too.
            tells = --_arriving == 0 || message.IsWhole || _received - _told >= MostUntold;
            _told = tells ? _received : _told;
            Complete(message);
        }

        if (tells)
        {
            sink.Tell(FrameKind.Received, received);
        }

        HandOverComplete();
    }

    /// <summary>The handler of a message that was handed over begins, or never will.</summary>
    public void NoteBegun(HeldMessage message)
    {
        lock (_lock)
        {
            _openBytes -= message.Bytes;
        }

        NoteDone(message.Large);
    }

    public void ReturnMemory(int bytes) => memory.Return(bytes);

    public void Close()
    {
        lock (_lock)
        {
            _closed = true;

            // A connection may still be writing to their buffers: those are left to the collector.
            foreach (var message in _open.Values)
            {
                if (!message.IsHandedOver)
                {
                    message.Detach();
                }

                foreach (var follower in message.Followers.Where(follower => follower is not IncomingMessage))
                {
                    follower.Release();
                }

                message.Followers.Clear();
            }

            _open.Clear();
            _complete.Clear();
        }
    }

    // Where the announcement and the first piece meet, whichever comes first.
    private string? Open(ulong number, int total, out IncomingMessage message)
    {
        if (_open.TryGetValue(number, out message!))
        {
            return message.Bytes == total ? null : $"large message {number} of {message.Bytes} and of {total} bytes";
        }

        if (total > maxMessageBytes || (_openBytes > 0 && _openBytes + total > maxOpenBytes))
        {
            return TooMuch();
        }

        _openBytes += total;
        _open.Add(number, message = new IncomingMessage(this, number, total));
        return null;
    }

    private void Complete(IncomingMessage message)
    {
        if (message.IsReady)
        {
            message.Waits = true;
            _complete.Enqueue(message);
        }
    }

    private void HandOverComplete()
    {
        lock (_lock)
        {
            // One lane at a time: what is complete meanwhile is handed over by the one that is at it.
            if (_handsOver)
            {
                return;
            }

            _handsOver = true;
        }

        while (TryTakeComplete(out var message))
        {
            if (message.IsRefused)
            {
                sink.Refuse(message.Header, NoMemory);
                message.Begin();
            }
            else
            {
                sink.HandOver(message);
            }

            while (TryTakeFollower(message) is { } follower)
            {
                sink.HandOver(follower);
            }

            NoteDone(message);
        }
    }

    private bool TryTakeComplete(out IncomingMessage message)
    {
        lock (_lock)
        {
            if (!_complete.TryDequeue(out message!))
            {
                _handsOver = false;
                return false;
            }

            message.IsHandedOver = true;
            return true;
        }
    }

    // The next small message that was held back for this one. Ends the message when there is none: a later one is not held back any more.
    private HeldMessage? TryTakeFollower(IncomingMessage message)
    {
        lock (_lock)
        {
            while (message.Followers.TryDequeue(out var follower))
            {
                if (follower is not IncomingMessage large)
                {
                    return follower;
                }

                large.Waits = false;
                Complete(large);
            }

            _open.Remove(message.Number);
            return null;
        }
    }

    // Its sender then sends the next of its key by another way, and as many bytes again: nothing may be left of it here.
    private void NoteDone(IncomingMessage message)
    {
        bool isDone;
        lock (_lock)
        {
            isDone = --message.Awaited == 0;
        }

        if (isDone)
        {
            sink.Tell(FrameKind.Arrived, message.Number);
        }
    }

    private string TooMuch() => $"more than {maxOpenBytes} bytes of large messages, and of what follows them, at once";
}
