namespace Geo.Messaging.Overlays;

/// <summary>The messages to this peer of one incarnation of an origin, as far as they have come.</summary>
internal sealed class InboundStream(
    PeerId origin, long incarnation, RouterOptions options, DirectMessageCounts counts, HeldMessages held,
    Action<ReadOnlyMemory<byte>, int> deliver)
{
    private readonly SortedDictionary<ulong, Arrival> _waiting = [];

    public long Incarnation => incarnation;

    /// <summary>The latest message delivered: those before it are delivered, or never will be.</summary>
    public ulong Last { get; private set; }

    /// <summary>True when the origin is to be told how far its messages have come.</summary>
    public bool OwesAcknowledgement { get; set; }

    /// <summary>When something of the origin last came.</summary>
    public TimeSpan Heard { get; private set; }

    /// <summary>Delivers a message, and those that waited for it; or lets it wait for the one before.</summary>
    public void Take(ulong sequence, Arrival message)
    {
        Heard = message.Since;
        if (sequence <= Last)
        {
            counts.Overtaken++;
        }
        else if (message.Previous <= Last)
        {
            Deliver(sequence, message);
            DeliverWaiting();
        }
        else if (_waiting.TryGetValue(sequence, out var known))
        {
            counts.Overtaken++;
            _waiting[sequence] = known with { Previous = Math.Min(known.Previous, message.Previous) };
        }
        else if (held.TryAdd(origin, message.Payload.Length))
        {
            _waiting.Add(sequence, message);
        }
        else
        {
            counts.TooEarly++;
        }
    }

    /// <summary>Drops what has waited until its sender has given up the message before it.</summary>
    public void DropLate(TimeSpan now)
    {
        foreach (var (sequence, message) in _waiting.Where(waiting => now - waiting.Value.Since >= options.DeliveryTimeout).ToList())
        {
            counts.TooEarly++;
            Remove(sequence, message);
        }
    }

    public void DropAll() => DropLate(TimeSpan.MaxValue);

    private void DeliverWaiting()
    {
        while (_waiting.Count > 0 && _waiting.First() is var (sequence, message) && message.Previous <= Last)
        {
            Remove(sequence, message);
            if (sequence > Last)
            {
                Deliver(sequence, message);
            }
            else
            {
                counts.Overtaken++;
            }
        }
    }

    private void Deliver(ulong sequence, Arrival message)
    {
        Last = sequence;
        deliver(message.Payload, message.Hops);
    }

    private void Remove(ulong sequence, Arrival message)
    {
        _waiting.Remove(sequence);
        held.Remove(origin, message.Payload.Length);
    }

    /// <summary>A message that came.</summary>
    /// <param name="Previous">The message that must be delivered before.</param>
    /// <param name="Payload">Its bytes.</param>
    /// <param name="Hops">The links it crossed.</param>
    /// <param name="Since">When it came.</param>
    internal readonly record struct Arrival(ulong Previous, ReadOnlyMemory<byte> Payload, int Hops, TimeSpan Since);
}
