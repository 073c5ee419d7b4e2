namespace Geo.Messaging;

/// <summary>What the lanes of a link share.</summary>
internal sealed class LinkContext(
    NodeContext node, PeerIdentity remote, LinkTerms terms, Func<LaneId, Task<IWireConnection>>? openLane = null)
{
    private long _roundTrip = -1;

    public NodeContext Node { get; } = node;

    public PeerIdentity Remote { get; } = remote;

    public LinkTerms Terms { get; } = terms;

    /// <summary>Opens a bulk lane; null on the accepting side, which asks the dialler to.</summary>
    public Func<LaneId, Task<IWireConnection>>? OpenLane { get; } = openLane;

    /// <summary>How many bytes of large messages may be on the way.</summary>
    public LinkBudget Budget { get; } = new(node.Options.MinInFlightBytes, node.Options.MaxInFlightBytes, node.Time);

    /// <summary>The round trip of the last probe of any lane; null before the first.</summary>
    public TimeSpan? RoundTrip
    {
        get => Volatile.Read(ref _roundTrip) is var ticks and >= 0 ? new(ticks) : null;
        set => Volatile.Write(ref _roundTrip, value?.Ticks ?? -1);
    }

    public CountLimit Requests { get; } = new(node.Options.MaxPendingRequests);

    /// <summary>What the peer holds of the node, by earlier links too.</summary>
    public PeerAccount Account { get; } = node.Accounts.Of(remote);
}
