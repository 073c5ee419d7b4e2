using System.Buffers;

namespace Geo.Messaging;

/// <summary>
/// The waiting messages of a monotonic channel: per service and partition key the newest, in the order in which the keys came. A newer
/// message keeps its key's place, so that a key that is written all the time still leaves at its time (Partisan's monotonic channels).
/// To be used under its owner's lock.
/// </summary>
/// <param name="window">How long messages are held back after some have left.</param>
/// <param name="time">The clock.</param>
internal sealed class NewestMessages(TimeSpan window, TimeProvider time)
{
    private readonly Dictionary<(string Service, PartitionKey Key), LinkedListNode<Waiting>> _byKey = [];
    private readonly LinkedList<Waiting> _order = new();
    private long? _lastLeft;

    public int Count => _byKey.Count;

    /// <summary>How long they are still to be held back; zero or less when they may leave.</summary>
    public TimeSpan WindowLeft => _lastLeft is { } last ? window - time.GetElapsedTime(last) : TimeSpan.Zero;

    /// <summary>The bytes of the frame that a newer one of this key replaces; null for none.</summary>
    public int? Find(string service, PartitionKey key) => _byKey.TryGetValue((service, key), out var node) ? node.Value.Length : null;

    /// <summary>Room for the newest message of a key: in the place of the older, or at the end.</summary>
    public Span<byte> Put(string service, PartitionKey key, int frameBytes)
    {
        if (!_byKey.TryGetValue((service, key), out var node))
        {
            _byKey.Add((service, key), node = _order.AddLast(new Waiting(service, key)));
        }

        var waiting = node.Value;
        if (waiting.Buffer.Length < frameBytes)
        {
            waiting.GiveBack();
            waiting.Buffer = ArrayPool<byte>.Shared.Rent(frameBytes);
        }

        waiting.Length = frameBytes;
        return waiting.Buffer.AsSpan(0, frameBytes);
    }

    /// <summary>Drops the message of a key.</summary>
    /// <returns>The bytes of its frame; 0 when there is none.</returns>
    public int Drop(string service, PartitionKey key) => _byKey.TryGetValue((service, key), out var node) ? Remove(node) : 0;

    /// <summary>Drops the message whose key has waited longest, but for one key.</summary>
    /// <returns>The bytes of its frame; 0 when there is no other.</returns>
    public int DropOldest(string exceptService, PartitionKey exceptKey)
    {
        var oldest = _order.First;
        if (oldest is not null && oldest.Value.Service == exceptService && oldest.Value.Key == exceptKey)
        {
            oldest = oldest.Next;
        }

        return oldest is null ? 0 : Remove(oldest);
    }

    /// <summary>Moves messages to the stream in the order of their keys.</summary>
    /// <returns>How many bytes were moved.</returns>
    public int Leave(FrameChunks stream, int most)
    {
        _lastLeft = time.GetTimestamp();
        var moved = 0;
        while (moved < most && _order.First is { } oldest)
        {
            oldest.Value.Buffer.AsSpan(0, oldest.Value.Length).CopyTo(stream.Add(oldest.Value.Length));
            moved += Remove(oldest);
        }

        return moved;
    }

    /// <returns>How many there were.</returns>
    public int Clear()
    {
        var count = Count;
        while (_order.First is { } first)
        {
            Remove(first);
        }

        return count;
    }

    private int Remove(LinkedListNode<Waiting> node)
    {
        _order.Remove(node);
        _byKey.Remove((node.Value.Service, node.Value.Key));
        node.Value.GiveBack();
        return node.Value.Length;
    }

    private sealed class Waiting(string service, PartitionKey key)
    {
        public string Service { get; } = service;

        public PartitionKey Key { get; } = key;

        public byte[] Buffer { get; set; } = [];

        public int Length { get; set; }

        public void GiveBack() => ArrayPool<byte>.Shared.Return(Buffer);
    }
}
