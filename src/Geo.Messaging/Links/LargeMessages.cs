using System.Buffers;
using System.Diagnostics;
using System.Text;

namespace Geo.Messaging;

/// <summary>
/// The messages of a lane that are too large to be sent in one piece. Those of different partition keys take turns, a fragment each, so
/// that none waits for the whole of another; those of one key, and small ones that come after a large one of their key, keep their order.
/// </summary>
/// <param name="maxOpenBytes">
/// The most payload bytes of messages that have begun and not ended, or one message: what the remote must be ready to put together.
/// </param>
internal sealed class LargeMessages(int maxOpenBytes)
{
    private readonly Dictionary<PartitionKey, Queue<Message>> _byKey = [];
    private readonly Queue<PartitionKey> _open = new();
    private readonly Queue<PartitionKey> _unopened = new();
    private long _openBytes;
    private long _lastStream;

    /// <summary>How many messages wait.</summary>
    public int Count { get; private set; }

    /// <summary>True when a message of this key must go behind another one.</summary>
    public bool IsWaiting(PartitionKey key) => _byKey.ContainsKey(key);

    /// <summary>The bytes that a message takes with the headers of its fragments.</summary>
    public static int WireBytes(FrameHeader header) =>
        header.FrameBytes <= Fragment.MaxBytes ? header.FrameBytes
        : header.FrameBytes + (FrameHeader.Size * ((header.FrameBytes + Fragment.MaxBytes - 1) / Fragment.MaxBytes));

    /// <summary>Adds a message, copied once, in wire form.</summary>
    /// <returns>The message's number in this lane.</returns>
    public long Add(PartitionKey key, FrameHeader header, string service, ReadOnlySpan<byte> payload, Activity? trace)
    {
        var message = new Message(++_lastStream, header, ArrayPool<byte>.Shared.Rent(WireBytes(header)));
        Span<byte> start = stackalloc byte[FrameHeader.MaxPayloadOffset];
        header.Write(start);
        Encoding.UTF8.GetBytes(service, start[FrameHeader.Size..]);
        TraceContext.Write(trace, start[(FrameHeader.Size + header.ServiceBytes)..]);
        message.Write(start[..header.PayloadOffset], payload);
        Count++;
        if (_byKey.TryGetValue(key, out var queue))
        {
            queue.Enqueue(message);
        }
        else
        {
            _byKey.Add(key, new Queue<Message>([message]));
            _unopened.Enqueue(key);
        }

        return message.Stream;
    }

    /// <summary>True when the message waits whole; false when some of it has been taken, or nothing is known of it.</summary>
    public bool IsUntouched(long stream) =>
        _byKey.Values.Any(queue => queue.Any(message => message.Stream == stream && message.Taken == 0));

    /// <summary>Takes the next fragment.</summary>
    /// <param name="fragment">The fragment, in wire form.</param>
    /// <returns>The buffer to give back once the fragment has been sent; null when more of the message follows.</returns>
    public byte[]? Take(out ArraySegment<byte> fragment)
    {
        Open();
        var key = _open.Dequeue();
        var queue = _byKey[key];
        var message = queue.Peek();
        fragment = message.TakeNext();
        if (message.Taken < message.Length)
        {
            _open.Enqueue(key);
            return null;
        }

        queue.Dequeue();
        Count--;
        _openBytes -= message.Header.PayloadBytes;
        if (queue.Count > 0)
        {
            _unopened.Enqueue(key);
        }
        else
        {
            _byKey.Remove(key);
        }

        return message.Buffer;
    }

    /// <summary>Forgets all.</summary>
    public void Clear()
    {
        foreach (var message in _byKey.Values.SelectMany(queue => queue))
        {
            ArrayPool<byte>.Shared.Return(message.Buffer);
        }

        _byKey.Clear();
        _open.Clear();
        _unopened.Clear();
        Count = 0;
    }

    // In the order of their coming: a large one that does not fit yet is not passed by for ever.
    private void Open()
    {
        while (_unopened.TryPeek(out var key))
        {
            var bytes = _byKey[key].Peek().Header.PayloadBytes;
            if (_openBytes > 0 && _openBytes + bytes > maxOpenBytes)
            {
                return;
            }

            _openBytes += bytes;
            _open.Enqueue(_unopened.Dequeue());
        }
    }

    private sealed class Message(long stream, FrameHeader header, byte[] buffer)
    {
        public long Stream { get; } = stream;

        public FrameHeader Header { get; } = header;

        public byte[] Buffer { get; } = buffer;

        public int Length { get; private set; }

        public int Taken { get; private set; }

        // Fragment by fragment, each behind its header; a message that fits into one goes without.
        public void Write(ReadOnlySpan<byte> start, ReadOnlySpan<byte> payload)
        {
            var whole = start.Length + payload.Length;
            if (whole <= Fragment.MaxBytes)
            {
                Append(start);
                Append(payload);
                return;
            }

            for (var left = whole; left > 0; left -= Fragment.MaxBytes)
            {
                var piece = Math.Min(left, Fragment.MaxBytes);
                new FrameHeader(FrameKind.Fragment, (ulong)Stream, 0, piece).Write(Buffer.AsSpan(Length));
                Length += FrameHeader.Size;
                Append(start);
                Append(payload[..(piece - start.Length)]);
                payload = payload[(piece - start.Length)..];
                start = default;
            }
        }

        public ArraySegment<byte> TakeNext()
        {
            var next = new ArraySegment<byte>(Buffer, Taken, Math.Min(Length - Taken, Fragment.MaxBytes + FrameHeader.Size));
            Taken += next.Count;
            return next;
        }

        private void Append(ReadOnlySpan<byte> bytes)
        {
            bytes.CopyTo(Buffer.AsSpan(Length));
            Length += bytes.Length;
        }
    }
}
