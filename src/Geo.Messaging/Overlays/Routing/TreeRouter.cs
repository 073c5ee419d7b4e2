namespace Geo.Messaging.Overlays;

/// <summary>
/// Carries a message to a peer that the sender need not be linked with (transitive delivery; Partisan ATC'19 section 3.2): to the peer
/// itself if it is a neighbour, else towards where its own messages came from, else over every link of the broadcast's tree.
/// </summary>
/// <remarks>
/// Best effort: what finds no way is dropped and counted. A receiver takes an origin's messages in their order and each at most once: one
/// that a later one has overtaken, because the tree changed under way, is dropped and counted. Not thread-safe.
/// </remarks>
internal sealed class TreeRouter(RouterOptions options, PeerId self, Action<PeerId, RoutedMessage> send)
{
    private readonly RecentMap<PeerId, PeerId> _towards = new(options.Routes);
    private readonly RecentMap<PeerId, (long Incarnation, ulong Sequence)> _latest = new(options.Routes);
    private readonly RecentSet<BroadcastId> _forwarded = new(options.Forwarded);
    private ulong _sequence;

    /// <summary>The local overlay's neighbours, and whether they pass messages on.</summary>
    public Dictionary<PeerId, bool> Neighbours { get; } = [];

    /// <summary>Messages that found no way, or crossed too many links.</summary>
    public long Undeliverable { get; private set; }

    /// <summary>Messages that came after a later one of their origin.</summary>
    public long Overtaken { get; private set; }

    /// <summary>Something of an origin came first by this neighbour: messages to the origin go there.</summary>
    public void Learn(PeerId origin, PeerId by) => _towards.Set(origin, by);

    /// <summary>Sends a message of this peer.</summary>
    /// <returns>False when there is no way to send it.</returns>
    public bool Send(PeerId to, long incarnation, ReadOnlyMemory<byte> payload, IReadOnlyCollection<PeerId> tree) =>
        Forward(new RoutedMessage(new BroadcastId(self, incarnation, ++_sequence), to, 0, payload), self, tree);

    /// <summary>Takes a message that arrived.</summary>
    /// <returns>True when it is for this peer and to be delivered.</returns>
    public bool Receive(RoutedMessage message, PeerId from, bool relays, IReadOnlyCollection<PeerId> tree)
    {
        if (message.To == self)
        {
            Learn(message.Id.Origin, from);
            return IsLatest(message.Id);
        }

        if (message.Id.Origin == self || !_forwarded.Add(message.Id))
        {
            return false;
        }

        Learn(message.Id.Origin, from);
        if (!relays || message.Hops >= options.MaxHops)
        {
            Undeliverable++;
            return false;
        }

        Forward(message, from, tree);
        return false;
    }

    private bool IsLatest(BroadcastId id)
    {
        if (_latest.TryGetValue(id.Origin, out var latest)
            && (latest.Incarnation > id.Incarnation || (latest.Incarnation == id.Incarnation && latest.Sequence >= id.Sequence)))
        {
            Overtaken++;
            return false;
        }

        _latest.Set(id.Origin, (id.Incarnation, id.Sequence));
        return true;
    }

    private bool Forward(RoutedMessage message, PeerId from, IReadOnlyCollection<PeerId> tree)
    {
        if (Neighbours.ContainsKey(message.To))
        {
            send(message.To, message);
            return true;
        }

        if (_towards.TryGetValue(message.To, out var next) && next != from && Neighbours.TryGetValue(next, out var passesOn) && passesOn)
        {
            send(next, message);
            return true;
        }

        var sent = false;
        foreach (var peer in tree)
        {
            if (peer != from && peer != message.Id.Origin && Neighbours.TryGetValue(peer, out var relay) && relay)
            {
                send(peer, message);
                sent = true;
            }
        }

        Undeliverable += sent ? 0 : 1;
        return sent;
    }
}
