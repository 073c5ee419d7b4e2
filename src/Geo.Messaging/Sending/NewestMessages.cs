using System.Buffers;

namespace Geo.Messaging;

/// <summary>
/// The waiting messages of a monotonic channel: per service and partition key the newest, in the order in which the keys came. A newer
/// message keeps its key's place, so that a key that is written all the time still leaves in its turn (Partisan's monotonic channels).
/// </summary>
internal sealed class NewestMessages
{
    private readonly Dictionary<(string Service, PartitionKey Key), LinkedListNode<Waiting>> _byKey = [];
    private readonly LinkedList<Waiting> _order = new();

    /// <summary>How many keys wait.</summary>
    public int Count => _byKey.Count;

    /// <summary>The message that a newer one with this key replaces.</summary>
    public Waiting? Find(string service, PartitionKey key) => _byKey.TryGetValue((service, key), out var node) ? node.Value : null;

    /// <summary>Room for the newer message in the place of the older.</summary>
    public static Span<byte> Refill(Waiting older, int frameBytes)
    {
        if (older.Buffer.Length < frameBytes)
        {
            ArrayPool<byte>.Shared.Return(older.Buffer);
            older.Buffer = ArrayPool<byte>.Shared.Rent(frameBytes);
        }

        older.Length = frameBytes;
        return older.Buffer.AsSpan(0, frameBytes);
    }

    /// <summary>Room for the first message of a key.</summary>
    public Span<byte> Add(string service, PartitionKey key, int frameBytes)
    {
        var waiting = new Waiting(service, key, ArrayPool<byte>.Shared.Rent(frameBytes)) { Length = frameBytes };
        _byKey.Add((service, key), _order.AddLast(waiting));
        return waiting.Buffer.AsSpan(0, frameBytes);
    }

    /// <summary>Drops the message of a key.</summary>
    /// <returns>The bytes of its frame; 0 when there is none.</returns>
    public int Drop(string service, PartitionKey key) => _byKey.TryGetValue((service, key), out var node) ? Remove(node) : 0;

    /// <summary>Drops the message whose key has waited longest.</summary>
    /// <param name="except">A message that stays.</param>
    /// <returns>The bytes of its frame; 0 when there is no other.</returns>
    public int DropOldest(Waiting? except = null)
    {
        var oldest = _order.First;
        if (oldest is not null && oldest.Value == except)
        {
            oldest = oldest.Next;
        }

        return oldest is null ? 0 : Remove(oldest);
    }

    /// <summary>Hands the message whose key has waited longest over and forgets it.</summary>
    /// <returns>The bytes of its frame.</returns>
    public int MoveOldest<TState>(TState state, Action<TState, ReadOnlySpan<byte>> take)
    {
        var oldest = _order.First!;
        take(state, oldest.Value.Buffer.AsSpan(0, oldest.Value.Length));
        return Remove(oldest);
    }

    /// <summary>Forgets all.</summary>
    public void Clear()
    {
        while (Count > 0)
        {
            DropOldest();
        }
    }

    private int Remove(LinkedListNode<Waiting> node)
    {
        _order.Remove(node);
        _byKey.Remove((node.Value.Service, node.Value.Key));
        ArrayPool<byte>.Shared.Return(node.Value.Buffer);
        return node.Value.Length;
    }

    internal sealed class Waiting(string service, PartitionKey key, byte[] buffer)
    {
        public string Service { get; } = service;

        public PartitionKey Key { get; } = key;

        public byte[] Buffer { get; set; } = buffer;

        public int Length { get; set; }
    }
}
