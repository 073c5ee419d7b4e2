namespace Geo.Messaging.Overlays;

/// <summary>The latest broadcasts, for peers that miss them; the oldest give way.</summary>
internal sealed class KeptMessages(int maxMessages, long maxBytes)
{
    private readonly Dictionary<BroadcastId, KeptMessage> _messages = [];
    private readonly Queue<BroadcastId> _order = new();
    private long _bytes;

    public IEnumerable<BroadcastId> Ids => _order;

    public void Add(BroadcastId id, KeptMessage message)
    {
        if (!_messages.TryAdd(id, message))
        {
            return;
        }

        _order.Enqueue(id);
        _bytes += message.Payload.Length;
        while (_order.Count > maxMessages || (_bytes > maxBytes && _order.Count > 1))
        {
            _messages.Remove(_order.Dequeue(), out var oldest);
            _bytes -= oldest!.Payload.Length;
        }
    }

    public KeptMessage? Find(BroadcastId id) => _messages.GetValueOrDefault(id);
}
