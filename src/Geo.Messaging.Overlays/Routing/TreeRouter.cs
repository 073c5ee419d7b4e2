namespace Geo.Messaging.Overlays;

/// <summary>
/// Carries a frame to a peer that the sender need not be linked with (transitive delivery; Partisan ATC'19 section 3.2): to the peer
/// itself if it is a neighbour, else towards where its own messages came from, else over every link of the broadcast's tree; or, where
/// that has lost one, over every link there is.
/// </summary>
/// <remarks>
/// A link that breaks, or a way that leads nowhere, loses the frame; it may arrive more than once and out of order. That it is missed, and
/// tried again, is <see cref="DirectMessages"/>' part. Not thread-safe.
/// </remarks>
internal sealed class TreeRouter(RouterOptions options, PeerId self, Func<PeerId, RoutedMessage, bool> send)
{
    private readonly RecentMap<PeerId, PeerId> _towards = new(options.Routes);
    private readonly RecentSet<BroadcastId> _forwarded = new(options.Forwarded);
    private ulong _sequence;

    /// <summary>The local overlay's neighbours, and whether they pass messages on.</summary>
    public Dictionary<PeerId, bool> Neighbours { get; } = [];

    /// <summary>Frames of others that found no way from here, or crossed too many links.</summary>
    public long Unrouted { get; private set; }

    /// <summary>Something of an origin came first by this neighbour: messages to the origin go there.</summary>
    public void Learn(PeerId origin, PeerId by) => _towards.Set(origin, by);

    /// <summary>Sends a frame of this peer.</summary>
    /// <returns>False when it was certainly not sent: there is no way, or no room on it.</returns>
    public bool Send(PeerId to, long incarnation, ReadOnlyMemory<byte> payload, bool floods, IReadOnlyCollection<PeerId> tree) =>
        Forward(new RoutedMessage(new BroadcastId(self, incarnation, ++_sequence), to, 0, floods, payload), self, tree);

    /// <summary>Takes a frame that arrived, and passes it on if it is for another.</summary>
    /// <returns>True when it is for this peer.</returns>
    public bool Receive(RoutedMessage message, PeerId from, bool relays, IReadOnlyCollection<PeerId> tree)
    {
        // The first to bring it has the shortest way; those that bring the same again teach nothing.
        if (message.Id.Origin == self || !_forwarded.Add(message.Id))
        {
            return false;
        }

        Learn(message.Id.Origin, from);
        if (message.To == self)
        {
            return true;
        }

        if (!relays || message.Hops >= options.MaxHops || !Forward(message, from, tree))
        {
            Unrouted++;
        }

        return false;
    }

    private bool Forward(RoutedMessage message, PeerId from, IReadOnlyCollection<PeerId> tree)
    {
        if (Neighbours.ContainsKey(message.To))
        {
            return send(message.To, message);
        }

        if (!message.Floods && _towards.TryGetValue(message.To, out var next) && next != from
            && Neighbours.TryGetValue(next, out var passesOn) && passesOn)
        {
            return send(next, message);
        }

        var sent = false;
        foreach (var peer in message.Floods ? (IReadOnlyCollection<PeerId>)Neighbours.Keys : tree)
        {
            if (peer != from && peer != message.Id.Origin && Neighbours.TryGetValue(peer, out var relay) && relay)
            {
                sent |= send(peer, message);
            }
        }

        return sent;
    }
}
