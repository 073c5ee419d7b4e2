namespace Geo.Messaging.Overlays;

/// <summary>Counts messages that are held in memory against the most that may be. Safe to use from any thread.</summary>
internal sealed class HeldMessages(int maxMessages, long maxBytes)
{
    private readonly Lock _lock = new();
    private int _messages;
    private long _bytes;

    public bool IsEmpty => Volatile.Read(ref _messages) == 0;

    /// <summary>Counts one more, if there is room.</summary>
    public bool TryAdd(int bytes)
    {
        lock (_lock)
        {
            // One message of any size finds room, or it could never be sent.
            if (_messages >= maxMessages || (_messages > 0 && _bytes + bytes > maxBytes))
            {
                return false;
            }

            _messages++;
            _bytes += bytes;
            return true;
        }
    }

    public void Remove(int bytes)
    {
        lock (_lock)
        {
            _messages--;
            _bytes -= bytes;
        }
    }
}
