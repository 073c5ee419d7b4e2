using System.Buffers;

namespace Geo.Messaging;

/// <summary>
/// The receiving half of a channel whose large messages are striped: gathers their pieces, which come on any lane and in any order,
/// straight in the buffer of the message, and hands messages of one key over in the order in which they were announced, holding back what
/// follows a large one that is not complete. One at a time, by whichever lane completes it.
/// </summary>
/// <param name="maxMessageBytes">The largest payload.</param>
/// <param name="maxOpenBytes">The most bytes of messages that are not handed over, or one message; more is a fault of the remote.</param>
/// <param name="version">The wire version of the link.</param>
/// <param name="handOver">
/// Handles a message: its header, what stands before its payload, its payload, the pooled buffer that holds it.
/// </param>
/// <param name="tell">Tells the remote: that so many bytes were received, that a message has been handed over.</param>
/// <param name="buffers">The pool in whose buffers messages are gathered.</param>
internal sealed class BulkArrivals(
    int maxMessageBytes, long maxOpenBytes, int version, Action<FrameHeader, ReadOnlySpan<byte>, ReadOnlyMemory<byte>, byte[]> handOver,
    Action<FrameKind, ulong> tell, ArrayPool<byte> buffers)
{
    // The most that is received and not said: little beside what is on the way.
    private const int MostUntold = 2 * BulkPiece.MaxBytes;

    private readonly Lock _lock = new();
    private readonly Dictionary<ulong, InboundBulk> _open = [];
    private readonly Queue<InboundBulk> _complete = new();
    private long _openBytes;
    private ulong _lastAnnounced;
    private long _received;
    private long _told;
    private int _arriving;
    private bool _handsOver;

    /// <summary>The bytes of messages that have not been handed over.</summary>
    public long OpenBytes
    {
        get
        {
            lock (_lock)
            {
                return _openBytes;
            }
        }
    }

    /// <summary>A large message takes its place in the order.</summary>
    /// <returns>What is wrong with it; null when it is sound.</returns>
    public string? Announce(ulong number, ReadOnlySpan<byte> announcement)
    {
        if (BulkAnnouncement.TryRead(announcement, maxMessageBytes, version, out var after, out var header, out var preface) is { } fault)
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

            message.Announce(header, preface);
            if (after > 0 && _open.TryGetValue(after, out var before))
            {
                message.Waits = true;
                before.Followers.Enqueue(new(message, default));
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
        if (!FrameHeader.TryRead(frame.Span, maxMessageBytes, version, out header, out var fault) || header.FrameBytes != frame.Length
            || header.Kind is not (FrameKind.OneWay or FrameKind.Request))
        {
            return fault ?? "something else than a small message behind a large one";
        }

        lock (_lock)
        {
            if (_open.TryGetValue(number, out var before))
            {
                if (_openBytes + frame.Length > maxOpenBytes)
                {
                    return TooMuch();
                }

                _openBytes += frame.Length;
                before.Followers.Enqueue(new(null, frame.ToArray()));
                return null;
            }
        }

        isNext = true;
        return null;
    }

    /// <summary>A piece begins to arrive.</summary>
    /// <param name="number">The number of its message.</param>
    /// <param name="piece">The piece.</param>
    /// <param name="into">Where its bytes go.</param>
    /// <returns>What is wrong with it; null when it is sound.</returns>
    public string? Begin(ulong number, BulkPiece piece, out Memory<byte> into)
    {
        into = default;
        lock (_lock)
        {
            if (Open(number, piece.Total, out var message) is { } wrong)
            {
                return wrong;
            }

            if (!message.TryBegin(piece, out into))
            {
                return $"a piece at {piece.Offset} of large message {number} that has come already";
            }

            _arriving++;
            return null;
        }
    }

    /// <summary>A piece has arrived.</summary>
    public void End(ulong number, BulkPiece piece)
    {
        ulong received;
        bool tells;
        lock (_lock)
        {
            var message = _open[number];
            message.NoteArrived();
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
            tell(FrameKind.Received, received);
        }

        HandOverComplete();
    }

    // Where the announcement and the first piece meet, whichever comes first.
    private string? Open(ulong number, int total, out InboundBulk message)
    {
        if (_open.TryGetValue(number, out message!))
        {
            return message.Total == total ? null : $"large message {number} of {message.Total} and of {total} bytes";
        }

        if (total > maxMessageBytes || (_openBytes > 0 && _openBytes + total > maxOpenBytes))
        {
            return TooMuch();
        }

        _openBytes += total;
        _open.Add(number, message = new InboundBulk(number, total, buffers));
        return null;
    }

    private void Complete(InboundBulk message)
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
            handOver(message.Header, message.Preface, message.Payload, message.Buffer);
            while (TryTakeFollower(message, out var frame))
            {
                FrameHeader.TryRead(frame, maxMessageBytes, version, out var header, out _);
                handOver(header, frame.AsSpan(FrameHeader.Size..header.PayloadOffset), frame.AsMemory(header.PayloadOffset), []);
            }

            tell(FrameKind.Arrived, message.Number);
        }
    }

    private bool TryTakeComplete(out InboundBulk message)
    {
        lock (_lock)
        {
            if (!_complete.TryDequeue(out message!))
            {
                _handsOver = false;
                return false;
            }

            return true;
        }
    }

    // The next small message that was held back for this one. Ends the message when there is none: a later one is not held back any more.
    private bool TryTakeFollower(InboundBulk message, out byte[] frame)
    {
        lock (_lock)
        {
            while (message.Followers.TryDequeue(out var follower))
            {
                if (follower.Small is not null)
                {
                    _openBytes -= follower.Small.Length;
                    frame = follower.Small;
                    return true;
                }

                follower.Large!.Waits = false;
                Complete(follower.Large);
            }

            frame = [];
            _open.Remove(message.Number);
            _openBytes -= message.Total;
            return false;
        }
    }

    private string TooMuch() => $"more than {maxOpenBytes} bytes of large messages, and of what follows them, at once";
}
