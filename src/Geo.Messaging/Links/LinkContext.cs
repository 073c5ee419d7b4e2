namespace Geo.Messaging;

/// <summary>What the lanes of a link share.</summary>
internal sealed class LinkContext(
    NodeContext node, PeerIdentity remote, LinkTerms terms, Func<LaneId, Task<IWireConnection>>? openLane = null)
{
    public NodeContext Node { get; } = node;

    public PeerIdentity Remote { get; } = remote;

    public LinkTerms Terms { get; } = terms;

    /// <summary>Opens a bulk lane; null on the accepting side, which asks the dialler to.</summary>
    public Func<LaneId, Task<IWireConnection>>? OpenLane { get; } = openLane;

    /// <summary>How many bytes of large messages may be on the way.</summary>
    public LinkBudget Budget { get; } = new(node.Options.MinInFlightBytes, node.Options.MaxInFlightBytes, node.Time);

    /// <summary>What the large messages of this peer hold of the node's memory.</summary>
    public LargeMemory.Share Memory { get; } = node.Memory.NewShare();

    public CountLimit Requests { get; } = new(node.Options.MaxPendingRequests);

    /// <summary>The handlers that run, those of earlier links of the peer among them.</summary>
    public CountLimit Handlers { get; } = node.HandlerLimits.Of(remote.Peer);
}
