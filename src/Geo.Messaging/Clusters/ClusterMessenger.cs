namespace Geo.Messaging;

/// <summary>
/// Messages between clusters over the links of a node: a message to a cluster goes to one of its connected entry points, chosen by its
/// recipient or else the partition key so that order per key holds, and to another one when that is gone.
/// </summary>
public sealed class ClusterMessenger : IClusterMessenger, IAsyncDisposable
{
    private readonly MessagingNode _node;
    private readonly EntryPoints _entryPoints;
    private readonly PartitionKey _ownKey;

    /// <summary>Starts dialling the entry points of the other clusters.</summary>
    /// <param name="node">The node; started before and disposed after the messenger, by its owner.</param>
    /// <param name="entryPoints">
    /// Where silos of each cluster listen; the node's own cluster is passed over. A cluster that only dials in needs none.
    /// </param>
    /// <exception cref="ArgumentException">The node speaks for no cluster.</exception>
    /// <exception cref="GeoConfigurationException">An entry point is beyond this machine and the link would be unprotected.</exception>
    public ClusterMessenger(MessagingNode node, IReadOnlyDictionary<ClusterId, IReadOnlyList<PeerAddress>> entryPoints)
    {
        ArgumentNullException.ThrowIfNull(node);
        ArgumentNullException.ThrowIfNull(entryPoints);
        if (node.Cluster.IsNone)
        {
            throw new ArgumentException($"The node {node.Peer} speaks for no cluster; set MessagingOptions.Cluster.", nameof(node));
        }

        _node = node;
        _ownKey = PartitionKey.From(node.Peer.Name);
        _entryPoints = new EntryPoints(node);
        node.MembersChanged += OnMembersChanged;
        UseEntryPoints(entryPoints);
    }

    /// <summary>
    /// Dials these entry points from now on and no others. A link that is up stays up, whether its address is still among them or not.
    /// </summary>
    /// <param name="entryPoints">Where silos of each cluster listen; the node's own cluster is passed over.</param>
    /// <exception cref="GeoConfigurationException">An entry point is beyond this machine and the link would be unprotected.</exception>
    public void UseEntryPoints(IReadOnlyDictionary<ClusterId, IReadOnlyList<PeerAddress>> entryPoints)
    {
        ArgumentNullException.ThrowIfNull(entryPoints);
        _entryPoints.Use(entryPoints);
    }

    /// <summary>
    /// Waits until each entry point has been tried once, for a host that must not start beside clusters whose facts do not fit its own
    /// (<see cref="IPeerFacts"/>). Clusters that are not up yet hold nothing up: what is wrong with them shows when they come.
    /// </summary>
    /// <param name="patience">How long to wait for those that neither answer nor refuse.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoConfigurationException">Some do not fit, and there is none that does.</exception>
    public Task EnsureFitsAsync(TimeSpan patience, CancellationToken cancellationToken = default) =>
        _entryPoints.EnsureFitsAsync(patience, cancellationToken);

    /// <inheritdoc/>
    public ClusterId LocalCluster => _node.Cluster;

    /// <inheritdoc/>
    public IReadOnlyCollection<ClusterId> Others =>
    [
        .. _node.Expected.Concat(_node.Links.Where(link => link.IsOpen).Select(link => link.Remote.Cluster))
            .Where(cluster => !cluster.IsNone && cluster != LocalCluster).Distinct(),
    ];

    /// <summary>The node's <see cref="MessagingOptions.MaxMessageBytes"/>; that of a peer applies besides.</summary>
    public int MaxMessageBytes => _node.MaxMessageBytes;

    /// <inheritdoc/>
    public event Action<ClusterId>? LinkUp;

    /// <inheritdoc/>
    public event Action<ClusterId>? LinkDown;

    /// <inheritdoc/>
    public bool IsLinked(ClusterId cluster) => EntryPointChoice.Of(_node.Links, cluster, default, attempt: 0) is not null;

    /// <inheritdoc/>
    public ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default) =>
        Choose(to, options) is { } link
            ? _node.Messages.RequestAsync(link.Remote.Peer, link, service, payload, options, cancellationToken)
            : new(ClusterReply.Refused(NoLinkTo(to)));

    /// <inheritdoc/>
    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default)
    {
        if (Choose(to, options) is { } link)
        {
            return _node.Messages.TrySend(link.Remote.Peer, link, service, payload, options) == SendOutcome.Queued;
        }

        _node.Messages.CountUnreachable(to);
        return false;
    }

    /// <inheritdoc/>
    public IDisposable Handle(string service, ClusterMessageHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);

        // The node's own token: what one cluster asks of another is carried to its end although the requester no longer waits, unless
        // the handler looks whether it does.
        return _node.HandleClusters(
            service,
            (message, givenUp) => handler(
                new ClusterMessage(message.FromCluster, message.Service, message.Payload, message.ExpectsReply) { GivenUp = givenUp },
                _node.Stopping));
    }

    /// <summary>Stops dialling; the node and its links stay.</summary>
    public ValueTask DisposeAsync()
    {
        _node.MembersChanged -= OnMembersChanged;
        _entryPoints.Dispose();
        return ValueTask.CompletedTask;
    }

    private PeerLink? Choose(ClusterId to, MessageOptions options) => to == LocalCluster
        ? null
        : EntryPointChoice.Of(_node.Links, to, options.Recipient ?? options.PartitionKey ?? _ownKey, options.Attempt);

    private string NoLinkTo(ClusterId to) => $"cluster {LocalCluster} has no link to cluster {to}"
        + (_entryPoints.RefusalOf(to) is { } refusal
            ? $": {refusal.Remote} {(refusal.RefusedByRemote ? "refuses this one" : "was refused here")}, {refusal.Message}"
            : "");

    private void OnMembersChanged(MembershipChange change)
    {
        var cluster = change.Member.Cluster;
        if (cluster.IsNone || cluster == LocalCluster)
        {
            return;
        }

        if (change.IsUp)
        {
            _entryPoints.NoteLink(cluster);
            LinkUp?.Invoke(cluster);
        }
        else if (!IsLinked(cluster))
        {
            LinkDown?.Invoke(cluster);
        }
    }
}
