namespace Geo.Messaging.Overlays;

/// <summary>What <see cref="Plumtree"/> acts upon.</summary>
internal interface IBroadcastOutlet
{
    /// <summary>Sends a frame to the broadcast of a neighbour.</summary>
    void Send(PeerId to, PayloadWriter frame);

    /// <summary>Gives a message to the application: exactly once, an origin's messages in their order.</summary>
    void Deliver(BroadcastId id, ReadOnlyMemory<byte> payload, int hops);
}
