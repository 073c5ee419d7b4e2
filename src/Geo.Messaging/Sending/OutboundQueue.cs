// Longer than most: ordered and newest-wins messages share one bound and one writer under one lock.
using System.Buffers;
using System.Diagnostics;
using System.Text;
using System.Threading.Tasks.Sources;

namespace Geo.Messaging;

/// <summary>
/// The frames that wait in one lane, already in wire form in pooled chunks, so that a writer drains many messages into one gather write
/// and a send allocates nothing. Bounded in messages and bytes; what the writer has taken counts until it has been sent. One-way messages
/// of a monotonic channel wait apart, where a newer one replaces an older one.
/// </summary>
/// <param name="bounds">The channel's bounds and policies.</param>
/// <param name="maxAnswerBytes">The most bytes of what the link itself says.</param>
/// <param name="time">The clock of the monotonic window.</param>
/// <param name="dropped">Told, with the reason, how many messages gave way to another.</param>
internal sealed class OutboundQueue(
    ChannelOptions bounds, int maxAnswerBytes, TimeProvider time, Action<string, int> dropped) : IValueTaskSource<bool>, IThreadPoolWorkItem
{
    private const int ChunkBytes = FrameHeader.MaxFrameBytes;

    // As many chunks as a gather write takes without an allocation of its own.
    private const int MaxBatchBytes = 8 * ChunkBytes;

    private const int MaxWithoutBuffer = 64;

    // What a burst gathers: it sends then, without a wait for its end. One piece of users' code that sends far more has a writer woken
    // beside it.
    private const int BytesToGather = ChunkBytes;
    private const int BytesThatWake = 4 * ChunkBytes;

    private readonly Lock _lock = new();
    private readonly Queue<Chunk> _waiting = new();
    private readonly Queue<Chunk> _taken = new();

    // Kept while anything waits, so that a queue that is filled and drained all the time takes no new ones; bounded as what waits is.
    private readonly Stack<Chunk> _spare = new();
    private readonly Stack<Chunk> _withoutBuffer = new();
    private readonly NewestMessages? _newest = bounds.Monotonic ? new NewestMessages() : null;
    private ManualResetValueTaskSourceCore<bool> _wake;
    private Chunk? _tail;
    private TaskCompletionSource? _room;
    private bool _writerSleeps;
    private bool _closed;
    private bool _nudged;
    private bool _wokenForMore;
    private int _messages;
    private int _answerBytes;
    private long _bytes;
    private long _appendedUpTo;
    private long _takenUpTo;
    private long? _lastNewestTaken;
    private bool _windowRuns;

    /// <summary>The bytes that wait or are being sent.</summary>
    public long Bytes
    {
        get
        {
            lock (_lock)
            {
                return _bytes;
            }
        }
    }

    /// <summary>Appends a frame; copies the payload.</summary>
    /// <param name="kind">What the frame is.</param>
    /// <param name="number">The request's or probe's number.</param>
    /// <param name="service">The service's name; empty for frames that name none.</param>
    /// <param name="payload">The payload.</param>
    /// <param name="key">
    /// The partition key, whose messages keep their order, and which decides what a one-way message of a monotonic channel replaces.
    /// </param>
    /// <param name="position">Where in the stream the frame is, for <see cref="WasTaken"/>.</param>
    /// <param name="trace">What the frame is part of; null for none.</param>
    public SendOutcome TryAppend(
        FrameKind kind, ulong number, string service, ReadOnlySpan<byte> payload, PartitionKey key, out long position,
        Activity? trace = null)
    {
        var serviceBytes = Encoding.UTF8.GetByteCount(service);
        var header = new FrameHeader(kind, number, serviceBytes, payload.Length, trace is not null);
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
                if (!TryReplace(service, key, header.FrameBytes, out frame, ref superseded, ref oldest))
                {
                    return SendOutcome.Full;
                }
            }
            else if (HasRoom(kind, header.FrameBytes))
            {
                frame = Reserve(header.FrameBytes, IsAnswer(kind));
                _appendedUpTo += header.FrameBytes;
                _bytes += header.FrameBytes;
                _messages++;
            }
            else
            {
                return SendOutcome.Full;
            }

            header.Write(frame);
            Encoding.UTF8.GetBytes(service, frame[FrameHeader.Size..]);
            TraceContext.Write(trace, frame[(FrameHeader.Size + serviceBytes)..]);
            payload.CopyTo(frame[header.PayloadOffset..]);

            // Within a burst the writer is woken once, when it ends, unless so much waits that it had better begin.
            wake = _writerSleeps && CanTake();
            if (wake && _bytes >= BytesToGather)
            {
                burst?.FlushSoon();
                burst = _bytes >= BytesThatWake ? null : burst;
            }

            _writerSleeps &= !wake || burst is not null;
        }

        if (wake && burst is null)
        {
            WakeWriter(here: false);
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

        WakeWriter(here);
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

        WakeWriter(here: false);
    }

    /// <summary>Drops what waits of a key of a monotonic channel: something newer leaves by another way.</summary>
    public void Supersede(string service, PartitionKey key)
    {
        int freed;
        lock (_lock)
        {
            freed = _newest?.Drop(service, key) ?? 0;
            _bytes -= freed;
            _messages -= freed > 0 ? 1 : 0;
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
            return _closed ? Task.CompletedTask
                : (_room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    /// <summary>Lets nothing more in; what waits can still be taken.</summary>
    public void Close()
    {
        bool wake;
        bool more;
        TaskCompletionSource? room;
        lock (_lock)
        {
            _closed = true;
            wake = _writerSleeps;
            _writerSleeps = false;

            // A burst may have left messages to a writer that sleeps.
            more = CanTake();
            (room, _room) = (_room, null);
        }

        room?.TrySetResult();
        if (wake)
        {
            WakeWriter(here: false, more);
        }
    }

    /// <summary>Gives the chunks back once nothing reads or writes them any more.</summary>
    /// <returns>How many messages were never taken.</returns>
    public int Discard()
    {
        lock (_lock)
        {
            _closed = true;
            var lost = _waiting.Sum(chunk => chunk.Messages) + (_newest?.Count ?? 0);
            _newest?.Clear();
            foreach (var chunk in _waiting.Concat(_taken))
            {
                chunk.GiveBack();
            }

            _waiting.Clear();
            _taken.Clear();
            GiveSpareBack();
            _tail = null;
            (_bytes, _messages, _answerBytes) = (0, 0, 0);
            return lost;
        }
    }

    /// <summary>Takes the next batch to send, without waiting.</summary>
    /// <param name="batch">Filled with what is to be sent.</param>
    /// <returns>False when nothing waits.</returns>
    public bool TryTake(List<ArraySegment<byte>> batch)
    {
        batch.Clear();
        lock (_lock)
        {
            TakeNewest();
            long bytes = 0;
            while (_waiting.TryPeek(out var chunk) && (bytes == 0 || bytes + chunk.Length <= MaxBatchBytes))
            {
                _taken.Enqueue(_waiting.Dequeue());
                batch.Add(new ArraySegment<byte>(chunk.Buffer, 0, chunk.Length));
                bytes += chunk.Length;
            }

            _takenUpTo += bytes;
            if (_waiting.Count == 0)
            {
                _tail = null;
            }

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

            _wake.Reset();
            _writerSleeps = true;
            return new(this, _wake.Version);
        }
    }

    /// <summary>Makes room for what the last batch held, now that it has been sent.</summary>
    /// <returns>How many messages it held.</returns>
    public int Release()
    {
        TaskCompletionSource? room;
        var sent = 0;
        lock (_lock)
        {
            while (_taken.TryDequeue(out var chunk))
            {
                sent += chunk.Messages;
                _bytes -= chunk.Length;
                _answerBytes -= chunk.AnswerBytes;
                chunk.Clear();
                _spare.Push(chunk);
            }

            _messages -= sent;
            if (_waiting.Count == 0)
            {
                GiveSpareBack();
            }

            // Half of it at once: a sender that waits is to find room for more than its next message.
            var hasRoom = _messages <= bounds.QueueMessages / 2 && _bytes <= bounds.QueueBytes / 2;
            room = hasRoom ? _room : null;
            _room = hasRoom ? null : _room;
        }

        room?.TrySetResult();
        return sent;
    }

    void IThreadPoolWorkItem.Execute() => _wake.SetResult(_wokenForMore);

    bool IValueTaskSource<bool>.GetResult(short token) => _wake.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _wake.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _wake.OnCompleted(continuation, state, token, flags);

    // What the link itself says: its remote may make it say as much as it likes and not read it.
    private static bool IsAnswer(FrameKind kind) =>
        kind is FrameKind.Pong or FrameKind.Cancel or FrameKind.Received or FrameKind.Arrived or FrameKind.OpenLanes;

    private bool HasRoom(FrameKind kind, int frameBytes) => kind switch
    {
        FrameKind.OneWay or FrameKind.Request =>
            _messages == 0 || (_messages < bounds.QueueMessages && _bytes + frameBytes <= bounds.QueueBytes),
        FrameKind.Reply or FrameKind.Refused or FrameKind.Failed =>
            _messages == 0 || (_messages / 2 < bounds.QueueMessages && (_bytes + frameBytes) / 2 <= bounds.QueueBytes),
        _ => !IsAnswer(kind) || _answerBytes + frameBytes <= maxAnswerBytes,
    };

    private Span<byte> Reserve(int bytes, bool isAnswer = false)
    {
        if (_tail is null || _tail.Buffer.Length - _tail.Length < bytes)
        {
            _tail = _spare.TryPop(out var spare) ? spare : NewChunk();
            _waiting.Enqueue(_tail);
        }

        var reserved = _tail.Buffer.AsSpan(_tail.Length, bytes);
        _tail.Length += bytes;
        _tail.Messages++;
        if (isAnswer)
        {
            _tail.AnswerBytes += bytes;
            _answerBytes += bytes;
        }

        return reserved;
    }

    // Puts a message of a monotonic channel into its key's place, or into a new one at the end.
    private bool TryReplace(
        string service, PartitionKey key, int frameBytes, out Span<byte> frame, scoped ref int superseded, scoped ref int oldest)
    {
        frame = default;
        var older = _newest!.Find(service, key);
        var (moreMessages, moreBytes) = older is null ? (1, frameBytes) : (0, frameBytes - older.Length);
        while (_messages + moreMessages > 1 && (_messages + moreMessages > bounds.QueueMessages || _bytes + moreBytes > bounds.QueueBytes))
        {
            var freed = bounds.Overflow == OverflowPolicy.DropOldest ? _newest.DropOldest(except: older) : 0;
            if (freed == 0)
            {
                return false;
            }

            oldest++;
            _messages--;
            _bytes -= freed;
        }

        superseded = older is null ? 0 : 1;
        frame = older is null ? _newest.Add(service, key, frameBytes) : NewestMessages.Refill(older, frameBytes);
        _messages += moreMessages;
        _bytes += moreBytes;
        return true;
    }

    // Moves the newest messages to the stream, as many as one batch takes, unless their window says to hold them back.
    private void TakeNewest()
    {
        if (_newest is not { Count: > 0 } || WindowLeft() > TimeSpan.Zero)
        {
            return;
        }

        _lastNewestTaken = time.GetTimestamp();
        var taken = 0;
        while (_newest.Count > 0 && taken < MaxBatchBytes)
        {
            taken += _newest.MoveOldest(this, static (queue, frame) => frame.CopyTo(queue.Reserve(frame.Length)));
        }

        _appendedUpTo += taken;
    }

    // Whether the writer finds something; sees to it that it is woken when only the window holds something back.
    private bool CanTake()
    {
        if (_waiting.Count > 0 || _newest is not { Count: > 0 })
        {
            return _waiting.Count > 0;
        }

        var left = WindowLeft();
        if (left > TimeSpan.Zero && !_windowRuns)
        {
            _windowRuns = true;
            _ = EndWindowAsync(left);
        }

        return left <= TimeSpan.Zero;
    }

    private TimeSpan WindowLeft() =>
        _closed || _lastNewestTaken is not { } last ? TimeSpan.Zero : bounds.MonotonicWindow - time.GetElapsedTime(last);

    private async Task EndWindowAsync(TimeSpan left)
    {
        await Task.Delay(left, time).ConfigureAwait(false);
        bool wake;
        lock (_lock)
        {
            _windowRuns = false;
            wake = _writerSleeps && (CanTake() || _closed);
            _writerSleeps &= !wake;
        }

        if (wake)
        {
            WakeWriter(here: false);
        }
    }

    // For whoever has found the writer asleep and noted that it no longer is.
    private void WakeWriter(bool here, bool more = true)
    {
        _wokenForMore = more;
        if (here)
        {
            _wake.SetResult(more);
        }
        else
        {
            // Behind what waits for a thread already: handlers that go on there, one by one, have their replies sent together.
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    private Chunk NewChunk()
    {
        var chunk = _withoutBuffer.TryPop(out var kept) ? kept : new Chunk();
        chunk.Buffer = ArrayPool<byte>.Shared.Rent(ChunkBytes);
        return chunk;
    }

    private void GiveSpareBack()
    {
        while (_spare.TryPop(out var spare))
        {
            spare.GiveBack();
            if (_withoutBuffer.Count < MaxWithoutBuffer)
            {
                _withoutBuffer.Push(spare);
            }
        }
    }

    private sealed class Chunk
    {
        public byte[] Buffer { get; set; } = [];

        public int Length { get; set; }

        public int Messages { get; set; }

        public int AnswerBytes { get; set; }

        public void Clear() => (Length, Messages, AnswerBytes) = (0, 0, 0);

        public void GiveBack()
        {
            ArrayPool<byte>.Shared.Return(Buffer);
            Buffer = [];
        }
    }
}
