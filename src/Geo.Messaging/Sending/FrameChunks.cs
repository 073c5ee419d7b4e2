using System.Buffers;

namespace Geo.Messaging;

/// <summary>
/// Frames in wire form, in pooled chunks in the order in which they leave, so that many messages go by one gather write and none allocates.
/// To be used under its owner's lock.
/// </summary>
/// <remarks>
/// In place of System.IO.Pipelines, here and in <see cref="LaneReader"/>: five interleaved rounds of both on a busy machine, a pipe at each
/// end went one way at 0.81 of the rate with 100 B (0.64 to 0.99) and 0.92 with 1 KB (0.62 to 1.03), requests of 1 KB at 0.74 (0.46 to
/// 1.14); requests of 100 B, 1.18 (0.32 to 2.85), and 1 KB at 1 ms, 1.10 (0.81 to 1.43), are not resolved.
/// </remarks>
internal sealed class FrameChunks
{
    public const int ChunkBytes = FrameHeader.MaxFrameBytes;

    /// <summary>The most bytes of a batch: as many chunks as a gather write takes without an allocation of its own.</summary>
    public const int MaxBatchBytes = 8 * ChunkBytes;

    private const int MostIdleSpare = 16;

    private readonly Queue<Chunk> _waiting = new();
    private readonly Queue<Chunk> _taken = new();

    // With their buffers while anything waits, so that chunks that are filled and drained all the time are the same ones. There are more of
    // them than a pool keeps: without, 1 KB one way allocated 718 B a message (docs/experiments-messaging.md).
    private readonly Stack<Chunk> _spare = new();
    private Chunk? _tail;

    public bool IsEmpty => _waiting.Count == 0;

    /// <summary>Room for one more frame at the end.</summary>
    public Span<byte> Add(int bytes, bool isAnswer = false, bool isReply = false)
    {
        if (_tail is null || _tail.Buffer.Length - _tail.Length < bytes)
        {
            _tail = _spare.TryPop(out var spare) ? spare : new Chunk();
            _tail.Buffer = _tail.Buffer.Length > 0 ? _tail.Buffer : ArrayPool<byte>.Shared.Rent(ChunkBytes);
            _waiting.Enqueue(_tail);
        }

        var added = _tail.Buffer.AsSpan(_tail.Length, bytes);
        _tail.Length += bytes;
        _tail.Messages++;
        _tail.AnswerBytes += isAnswer ? bytes : 0;
        _tail.ReplyBytes += isReply ? bytes : 0;
        return added;
    }

    /// <summary>Adds what waits to a batch, as much as one takes.</summary>
    public long Take(List<ArraySegment<byte>> batch)
    {
        long bytes = 0;
        while (_waiting.TryPeek(out var chunk) && (bytes == 0 || bytes + chunk.Length <= MaxBatchBytes))
        {
            _taken.Enqueue(_waiting.Dequeue());
            batch.Add(new ArraySegment<byte>(chunk.Buffer, 0, chunk.Length));
            bytes += chunk.Length;
        }

        _tail = _waiting.Count == 0 ? null : _tail;
        return bytes;
    }

    /// <summary>The last batch has been sent.</summary>
    public (int Messages, long Bytes, int AnswerBytes, int ReplyBytes) Release()
    {
        var (messages, bytes, answerBytes, replyBytes) = (0, 0L, 0, 0);
        while (_taken.TryDequeue(out var chunk))
        {
            (messages, bytes) = (messages + chunk.Messages, bytes + chunk.Length);
            (answerBytes, replyBytes) = (answerBytes + chunk.AnswerBytes, replyBytes + chunk.ReplyBytes);
            chunk.Clear();
            _spare.Push(chunk);
        }

        if (_waiting.Count == 0)
        {
            GiveSpareBack();
        }

        return (messages, bytes, answerBytes, replyBytes);
    }

    /// <summary>Gives all chunks back, once nothing reads or writes them any more.</summary>
    public int Discard()
    {
        var lost = _waiting.Sum(chunk => chunk.Messages);
        foreach (var chunk in _waiting.Concat(_taken))
        {
            chunk.GiveBack();
        }

        _waiting.Clear();
        _taken.Clear();
        _tail = null;
        GiveSpareBack();
        return lost;
    }

    private void GiveSpareBack()
    {
        foreach (var spare in _spare)
        {
            spare.GiveBack();
        }

        while (_spare.Count > MostIdleSpare)
        {
            _spare.Pop();
        }
    }

    private sealed class Chunk
    {
        public byte[] Buffer { get; set; } = [];

        public int Length { get; set; }

        public int Messages { get; set; }

        public int AnswerBytes { get; set; }

        public int ReplyBytes { get; set; }

        public void Clear() => (Length, Messages, AnswerBytes, ReplyBytes) = (0, 0, 0, 0);

        public void GiveBack()
        {
            if (Buffer.Length > 0)
            {
                ArrayPool<byte>.Shared.Return(Buffer);
                Buffer = [];
            }
        }
    }
}
