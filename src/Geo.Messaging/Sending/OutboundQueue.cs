// Longer than most: ordered and newest-wins messages share one bound and one writer under one lock.
using System.Diagnostics;
using System.Text;

namespace Geo.Messaging;

/// <summary>
/// The frames that wait in one lane for its writer. Bounded in messages and bytes; what the writer has taken counts until it has been sent.
/// One-way messages of a monotonic channel wait apart, where a newer one replaces an older one.
/// </summary>
/// <param name="bounds">The channel's bounds and policies.</param>
/// <param name="maxAnswerBytes">The most bytes of what the link itself says.</param>
/// <param name="time">The clock of the monotonic window.</param>
/// <param name="dropped">Told, with the reason, how many messages gave way to another.</param>
/// <param name="replies">What replies to the peer may take of the node's memory; null for no bound but the channel's.</param>
internal sealed class OutboundQueue(
    ChannelOptions bounds, int maxAnswerBytes, TimeProvider time, Action<string, int> dropped, NodeBudget.Share? replies = null)
{
    // What a burst gathers: it sends then, without a wait for its end. One piece of users' code that sends far more has a writer woken
    // beside it.
    public const int BytesToGather = FrameChunks.ChunkBytes;
    private const int BytesThatWake = 4 * FrameChunks.ChunkBytes;

    private readonly Lock _lock = new();
    private readonly FrameChunks _frames = new();
    private readonly NewestMessages? _newest = bounds.Monotonic ? new NewestMessages(bounds.MonotonicWindow, time) : null;
    private readonly Waiters _room = new();
    private readonly WriterSleep _sleep = new(time);
    private bool _writerSleeps;
    private bool _closed;
    private bool _nudged;
    private bool _windowRuns;
    private long _appendedUpTo;
    private long _takenUpTo;

    /// <summary>True once nothing more is let in.</summary>
    public bool IsClosed => Volatile.Read(ref _closed);

    /// <summary>What waits or is being sent, and how much of it there may be.</summary>
    public QueueRoom Taken { get; } = new(bounds, maxAnswerBytes, replies);

    /// <summary>Appends a frame, whose key decides what it replaces on a monotonic channel; copies the payload.</summary>
    public SendOutcome TryAppend(
        FrameKind kind, ulong number, string service, ReadOnlySpan<byte> payload, PartitionKey key, out long position,
        Activity? trace = null)
    {
        var header = new FrameHeader(kind, number, Encoding.UTF8.GetByteCount(service), payload.Length, trace is not null);
        var (superseded, oldest) = (0, 0);
        var burst = Burst.Current;
        bool wake;
        lock (_lock)
        {
            position = _appendedUpTo;
            if (_closed)
            {
                return SendOutcome.NotConnected;
            }

            Span<byte> frame;
            if (_newest is not null && kind == FrameKind.OneWay)
            {
                if (!TryReplace(service, key, header.FrameBytes, ref superseded, ref oldest))
                {
                    return SendOutcome.Full;
                }

                frame = _newest.Put(service, key, header.FrameBytes);
            }
            else if (Taken.TryTake(kind, header.FrameBytes))
            {
                frame = _frames.Add(header.FrameBytes, QueueRoom.IsAnswer(kind), QueueRoom.IsReply(kind));
                _appendedUpTo += header.FrameBytes;
            }
            else
            {
                return SendOutcome.Full;
            }

            header.Write(frame, service, trace);
            payload.CopyTo(frame[header.PayloadOffset..]);

            // Within a burst the writer is woken once, when it ends, unless so much waits that it had better begin.
            wake = _writerSleeps && CanTake();
            if (wake && Taken.Bytes >= BytesToGather)
            {
                burst?.FlushSoon();
                burst = Taken.Bytes >= BytesThatWake ? null : burst;
            }

            _writerSleeps &= !wake || burst is not null;
        }

        if (wake && burst is null)
        {
            _sleep.EndInPool(Taken);
        }
        else if (wake && !burst!.TryHold(this))
        {
            Wake(here: false);
        }

        if (superseded + oldest > 0)
        {
            dropped("superseded", superseded);
            dropped("oldest", oldest);
        }

        return SendOutcome.Queued;
    }

    /// <summary>Wakes the writer if there is something for it.</summary>
    /// <param name="here">True to let it send within the call, false to let it send in the pool.</param>
    public void Wake(bool here)
    {
        lock (_lock)
        {
            if (!_writerSleeps || !CanTake())
            {
                return;
            }

            _writerSleeps = false;
        }

        if (here)
        {
            _sleep.End();
        }
        else
        {
            _sleep.EndInPool(Taken);
        }
    }

    /// <summary>True when the writer may have sent some of the frame at that position; false when it certainly has not.</summary>
    public bool WasTaken(long position)
    {
        lock (_lock)
        {
            return position < _takenUpTo;
        }
    }

    /// <summary>Lets the writer look, at something else than the queue too. From any thread.</summary>
    public void Nudge()
    {
        lock (_lock)
        {
            _nudged = !_writerSleeps;
            if (_nudged)
            {
                return;
            }

            _writerSleeps = false;
        }

        _sleep.EndInPool(Taken);
    }

    /// <summary>Drops what waits of a key of a monotonic channel: something newer leaves by another way.</summary>
    public void Supersede(string service, PartitionKey key)
    {
        int freed;
        lock (_lock)
        {
            freed = _newest?.Drop(service, key) ?? 0;
            Taken.Give(freed > 0 ? 1 : 0, freed);
        }

        if (freed > 0)
        {
            dropped("superseded", 1);
        }
    }

    /// <summary>Ends when no more than half of what is allowed waits any more, or with the queue's closing.</summary>
    public Task WhenRoomAsync()
    {
        lock (_lock)
        {
            return _closed ? Task.CompletedTask : _room.Wait();
        }
    }

    /// <summary>Lets nothing more in; what waits can still be taken.</summary>
    public void Close()
    {
        lock (_lock)
        {
            _closed = true;
            _room.End();
        }

        // A burst may have left messages to a writer that sleeps.
        Nudge();
    }

    /// <summary>Gives the buffers back once nothing reads or writes them any more.</summary>
    /// <returns>How many messages were never taken.</returns>
    public int Discard()
    {
        lock (_lock)
        {
            _closed = true;
            Taken.Clear();
            return _frames.Discard() + (_newest?.Clear() ?? 0);
        }
    }

    /// <summary>Takes the next batch to send, without waiting.</summary>
    /// <returns>False when nothing waits.</returns>
    public bool TryTake(List<ArraySegment<byte>> batch)
    {
        batch.Clear();
        lock (_lock)
        {
            if (_newest is { Count: > 0 } && WindowLeft <= TimeSpan.Zero)
            {
                _appendedUpTo += _newest.Leave(_frames, FrameChunks.MaxBatchBytes);
            }

            _takenUpTo += _frames.Take(batch);
            return batch.Count > 0;
        }
    }

    /// <summary>Waits until something can be taken; false when the queue is closed and empty. For the writer alone.</summary>
    public ValueTask<bool> WaitToTakeAsync()
    {
        lock (_lock)
        {
            if (CanTake() || _nudged)
            {
                _nudged = false;
                return new(true);
            }

            if (_closed)
            {
                return new(false);
            }

            _writerSleeps = true;
            return _sleep.Begin();
        }
    }

    /// <summary>Makes room for what the last batch held, now that it has been sent.</summary>
    /// <returns>How many messages it held.</returns>
    public int Release()
    {
        lock (_lock)
        {
            var (messages, bytes, answerBytes, replyBytes) = _frames.Release();
            Taken.Give(messages, bytes, answerBytes, replyBytes);

            // Half of it at once: a sender that waits is to find room for more than its next message.
            if (Taken.IsHalfFree)
            {
                _room.End();
            }

            return messages;
        }
    }

    // Makes room for the newest message of a key, where there is some or the policy says to make it.
    private bool TryReplace(string service, PartitionKey key, int frameBytes, ref int superseded, ref int oldest)
    {
        var older = _newest!.Find(service, key);
        superseded = older is null ? 0 : 1;
        var (moreMessages, moreBytes) = (1 - superseded, frameBytes - (older ?? 0));
        while (!Taken.Fits(moreMessages, moreBytes))
        {
            var freed = bounds.Overflow == OverflowPolicy.DropOldest ? _newest.DropOldest(service, key) : 0;
            if (freed == 0)
            {
                return false;
            }

            oldest++;
            Taken.Give(1, freed);
        }

        Taken.Give(-moreMessages, -moreBytes);
        return true;
    }

    // Whether the writer finds something; sees to it that it is woken when only the window holds something back.
    private bool CanTake()
    {
        if (!_frames.IsEmpty || _newest is not { Count: > 0 })
        {
            return !_frames.IsEmpty;
        }

        var left = WindowLeft;
        if (left > TimeSpan.Zero && !_windowRuns)
        {
            _windowRuns = true;
            _ = EndWindowAsync(left);
        }

        return left <= TimeSpan.Zero;
    }

    private TimeSpan WindowLeft => _closed ? TimeSpan.Zero : _newest!.WindowLeft;

    private async Task EndWindowAsync(TimeSpan left)
    {
        await Task.Delay(left, time).ConfigureAwait(false);
        lock (_lock)
        {
            _windowRuns = false;
        }

        Wake(here: false);
    }
}
