namespace Geo.Messaging.Overlays;

/// <summary>What <see cref="Plumtree"/> acts upon.</summary>
internal interface IBroadcastOutlet
{
    /// <summary>Sends a frame to the broadcast of a neighbour.</summary>
    void Send(PeerId to, PayloadWriter frame);

    /// <summary>Sends a frame to the broadcasts of all neighbours at once.</summary>
    /// <returns>False when it went to none.</returns>
    bool TrySendToAll(PayloadWriter frame);

    /// <summary>A peer has told how far it is with each origin: from now on this one hears all that it hears.</summary>
    void Told(PeerId by);

    /// <summary>Gives a message to the application: exactly once, an origin's messages in their order.</summary>
    void Deliver(BroadcastId id, ReadOnlyMemory<byte> payload, int hops);
}
