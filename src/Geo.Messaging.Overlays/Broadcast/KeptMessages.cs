using System.Diagnostics.CodeAnalysis;

namespace Geo.Messaging.Overlays;

/// <summary>The latest broadcasts, for peers that miss them; the oldest give way.</summary>
internal sealed class KeptMessages(int maxMessages, long maxBytes)
{
    private readonly Dictionary<BroadcastId, (ReadOnlyMemory<byte> Payload, int Hops)> _messages = [];
    private readonly Queue<BroadcastId> _order = new();
    private long _bytes;

    public IEnumerable<BroadcastId> Ids => _order;

    public void Add(BroadcastId id, ReadOnlyMemory<byte> payload, int hops)
    {
        if (!_messages.TryAdd(id, (payload, hops)))
        {
            return;
        }

        _order.Enqueue(id);
        _bytes += payload.Length;
        while (_order.Count > maxMessages || (_bytes > maxBytes && _order.Count > 1))
        {
            _messages.Remove(_order.Dequeue(), out var oldest);
            _bytes -= oldest.Payload.Length;
        }
    }

    public bool TryGet(BroadcastId id, [MaybeNullWhen(false)] out ReadOnlyMemory<byte> payload, out int hops)
    {
        var found = _messages.TryGetValue(id, out var message);
        (payload, hops) = message;
        return found;
    }
}
