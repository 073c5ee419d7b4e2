using System.Buffers;

namespace Geo.Experiments.Messaging.Plain;

/// <summary>Frames that leave in one system call: small ones copied together, large payloads as they lie.</summary>
internal sealed class SendBatch
{
    private const int ChunkBytes = 64 * 1024;
    private const int LargestCopied = 16 * 1024;

    private readonly List<byte[]> _chunks = [];
    private readonly List<byte[]> _payloads = [];
    private int _used = ChunkBytes;

    public List<ArraySegment<byte>> Segments { get; } = [];

    public long Bytes { get; private set; }

    /// <param name="frame">The header.</param>
    /// <param name="payload">The payload.</param>
    /// <param name="owned">The payload's array, to be returned to the pool once it has left; else null.</param>
    public void Add(Frame frame, ReadOnlyMemory<byte> payload, byte[]? owned)
    {
        var copied = payload.Length <= LargestCopied;
        var place = Reserve(Frame.HeaderBytes + (copied ? payload.Length : 0));
        frame.Write(place);
        if (copied)
        {
            payload.Span.CopyTo(place[Frame.HeaderBytes..]);
        }
        else
        {
            System.Runtime.InteropServices.MemoryMarshal.TryGetArray(payload, out var segment);
            Segments.Add(segment);
        }

        Bytes += Frame.HeaderBytes + payload.Length;
        if (owned is not null)
        {
            _payloads.Add(owned);
        }
    }

    /// <summary>Empties it for the next round.</summary>
    public void Clear()
    {
        Segments.Clear();
        _payloads.ForEach(PayloadPool.Return);
        _payloads.Clear();
        _chunks.ForEach(chunk => ArrayPool<byte>.Shared.Return(chunk));
        _chunks.Clear();
        _used = ChunkBytes;
        Bytes = 0;
    }

    private Span<byte> Reserve(int bytes)
    {
        if (_used + bytes > ChunkBytes)
        {
            _chunks.Add(ArrayPool<byte>.Shared.Rent(ChunkBytes));
            _used = 0;
        }

        var chunk = _chunks[^1];
        if (Segments.Count > 0 && Segments[^1] is var last && last.Array == chunk && last.Offset + last.Count == _used)
        {
            Segments[^1] = new ArraySegment<byte>(chunk, last.Offset, last.Count + bytes);
        }
        else
        {
            Segments.Add(new ArraySegment<byte>(chunk, _used, bytes));
        }

        _used += bytes;
        return chunk.AsSpan(_used - bytes, bytes);
    }
}
