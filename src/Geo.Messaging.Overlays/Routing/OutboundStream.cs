namespace Geo.Messaging.Overlays;

/// <summary>This peer's messages to another that are not acknowledged, in their order.</summary>
internal sealed class OutboundStream(
    PeerId to, RouterOptions options, DirectMessageCounts counts, HeldMessages held, Action<PeerId, OutboundStream.Transmission> transmit)
{
    // What is sent at once when a way is found: enough to fill it, too little to flood it.
    private const int Batch = 64;

    private readonly LinkedList<Unacknowledged> _messages = [];
    private TimeSpan _nextTry;
    private int _tries;

    // When the first message was last sent again: what was sent before has probably been lost as well.
    private TimeSpan? _triedAgain;

    public bool IsEmpty => _messages.Count == 0;

    // Beyond the time-out the message is given up.
    private TimeSpan Wait => BackOff.Doubled(_tries + 1, options.RetryInterval, options.DeliveryTimeout);

    public void Send(ulong sequence, ReadOnlyMemory<byte> payload, TimeSpan now)
    {
        if (IsEmpty)
        {
            _nextTry = now + Wait;
        }

        Transmit(_messages.AddLast(new Unacknowledged(sequence, payload, now)), floods: false);
    }

    /// <summary>The receiver has settled all up to a number.</summary>
    public void Acknowledged(ulong last, TimeSpan now)
    {
        if (IsEmpty || _messages.First!.Value.Sequence > last)
        {
            return;
        }

        while (_messages.First is { } first && first.Value.Sequence <= last)
        {
            Settle();
        }

        _tries = 0;
        _nextTry = now + Wait;
        if (_triedAgain is { } lostBefore)
        {
            SendRestAgain(lostBefore, now);
        }
    }

    /// <summary>Gives up what has been tried for too long, and sends the first of the others again when it is due.</summary>
    public void Tick(TimeSpan now)
    {
        while (_messages.First is { } first && now - first.Value.FirstSent >= options.DeliveryTimeout)
        {
            counts.Undeliverable++;
            Settle();
        }

        if (!IsEmpty && now >= _nextTry)
        {
            _triedAgain = now;
            _tries++;
            _nextTry = now + Wait;
            SendAgain(_messages.First!, now, floods: true);
        }
    }

    public void GiveUp()
    {
        while (!IsEmpty)
        {
            counts.Undeliverable++;
            Settle();
        }
    }

    private void SendRestAgain(TimeSpan lostBefore, TimeSpan now)
    {
        var left = Batch;
        for (var message = _messages.First; message is not null && left > 0; message = message.Next)
        {
            if (message.Value.LastSent <= lostBefore)
            {
                left--;
                SendAgain(message, now, floods: false);
            }
        }
    }

    private void SendAgain(LinkedListNode<Unacknowledged> message, TimeSpan now, bool floods)
    {
        counts.SentAgain++;
        message.Value = message.Value with { LastSent = now };
        Transmit(message, floods);
    }

    private void Transmit(LinkedListNode<Unacknowledged> message, bool floods) =>
        transmit(to, new Transmission(message.Value.Sequence, message.Previous?.Value.Sequence ?? 0, message.Value.Payload, floods));

    private void Settle()
    {
        held.Remove(to, _messages.First!.Value.Payload.Length);
        _messages.RemoveFirst();
    }

    /// <summary>A message as it is sent, for the first time or again.</summary>
    /// <param name="Sequence">Its number: an origin's numbers grow.</param>
    /// <param name="Previous">The one that is to be delivered before; 0 when all before are settled.</param>
    /// <param name="Payload">Its bytes.</param>
    /// <param name="Floods">True when it is to go over every link.</param>
    internal readonly record struct Transmission(ulong Sequence, ulong Previous, ReadOnlyMemory<byte> Payload, bool Floods);

    private readonly record struct Unacknowledged(ulong Sequence, ReadOnlyMemory<byte> Payload, TimeSpan FirstSent)
    {
        public TimeSpan LastSent { get; init; } = FirstSent;
    }
}
