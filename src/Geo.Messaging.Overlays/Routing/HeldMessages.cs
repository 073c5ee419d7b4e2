namespace Geo.Messaging.Overlays;

/// <summary>
/// Counts messages that are held in memory against the most that may be, of one peer and of all: one that does not answer leaves room for
/// the others. Safe to use from any thread.
/// </summary>
internal sealed class HeldMessages(RouterOptions options)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<PeerId, (int Messages, long Bytes)> _ofPeer = [];
    private int _messages;
    private long _bytes;

    public bool IsEmpty => Volatile.Read(ref _messages) == 0;

    /// <summary>Counts one more of a peer, if there is room.</summary>
    public bool TryAdd(PeerId peer, int bytes)
    {
        lock (_lock)
        {
            var (messages, held) = _ofPeer.GetValueOrDefault(peer);
            if (!HasRoom(messages, held, bytes, options.HeldMessagesPerPeer, options.HeldBytesPerPeer)
                || !HasRoom(_messages, _bytes, bytes, options.HeldMessages, options.HeldBytes))
            {
                return false;
            }

            _ofPeer[peer] = (messages + 1, held + bytes);
            _messages++;
            _bytes += bytes;
            return true;
        }
    }

    public void Remove(PeerId peer, int bytes)
    {
        lock (_lock)
        {
            var (messages, held) = _ofPeer[peer];
            if (messages == 1)
            {
                _ofPeer.Remove(peer);
            }
            else
            {
                _ofPeer[peer] = (messages - 1, held - bytes);
            }

            _messages--;
            _bytes -= bytes;
        }
    }

    // One message of any size finds room, or it could never be sent.
    private static bool HasRoom(int messages, long held, int bytes, int maxMessages, int maxBytes) =>
        messages < maxMessages && (messages == 0 || held + bytes <= maxBytes);
}
