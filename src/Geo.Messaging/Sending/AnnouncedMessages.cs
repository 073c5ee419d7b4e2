namespace Geo.Messaging;

/// <summary>
/// The large messages of a lane that are announced and not known to have arrived, and what the remote holds back behind them. To be used
/// under its owner's lock.
/// </summary>
/// <param name="queue">The lane's.</param>
/// <param name="maxBytes">The most that the remote gathers and holds back for the lane, or one message.</param>
internal sealed class AnnouncedMessages(OutboundQueue queue, long maxBytes)
{
    private readonly Dictionary<ulong, OutgoingMessage> _open = [];
    private readonly Dictionary<PartitionKey, ulong> _lastOf = [];
    private long _bytes;
    private ulong _lastNumber;

    public bool IsEmpty => _open.Count == 0;

    public IEnumerable<OutgoingMessage> All => _open.Values;

    /// <summary>True when what is sent with that key has to wait at the remote.</summary>
    public bool HoldBack(PartitionKey key) => _lastOf.ContainsKey(key);

    public bool HaveRoomFor(OutgoingMessage message) =>
        _bytes == 0 || _bytes + (message.IsLarge ? message.Length : HeldBytesOf(message)) <= maxBytes;

    /// <summary>Announces a large message under a number of its own.</summary>
    public void Add(OutgoingMessage message)
    {
        message.Number = ++_lastNumber;
        Span<byte> announcement = stackalloc byte[Announcement.MaxBytes];
        var length = Announcement.Write(announcement, _lastOf.GetValueOrDefault(message.Key), message.Start);
        queue.TryAppend(FrameKind.Announce, message.Number, "", announcement[..length], default, out _);
        _open.Add(message.Number, message);
        _bytes += message.Length;
        if (message.Header.Kind != FrameKind.Reply)
        {
            _lastOf[message.Key] = message.Number;
        }
    }

    /// <summary>Sends a small message behind the last large one of its key.</summary>
    public void SendBehind(OutgoingMessage message)
    {
        var frame = new byte[message.Header.FrameBytes];
        message.Start.CopyTo(frame, 0);
        message.CopyTo(frame.AsSpan(message.Start.Length));
        var after = _lastOf.GetValueOrDefault(message.Key);
        if (_open.TryGetValue(after, out var large))
        {
            large.HeldBytes += HeldBytesOf(message);
            _bytes += HeldBytesOf(message);
        }

        // A number that is not on the way any more holds nothing back.
        queue.TryAppend(FrameKind.Follows, after, "", frame, default, out _);
    }

    /// <summary>A large message has arrived; false when it was not on the way.</summary>
    public bool TryEnd(ulong number)
    {
        if (!_open.Remove(number, out var message))
        {
            return false;
        }

        _bytes -= message.Length + message.HeldBytes;
        if (_lastOf.GetValueOrDefault(message.Key) == number)
        {
            _lastOf.Remove(message.Key);
        }

        return true;
    }

    private static int HeldBytesOf(OutgoingMessage message) => message.Header.FrameBytes + Announcement.HeldBackBytes;
}
