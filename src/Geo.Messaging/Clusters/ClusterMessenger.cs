namespace Geo.Messaging;

/// <summary>
/// Messages between clusters over the links of a node: a message to a cluster goes to one of its connected entry points, chosen by the
/// partition key so that order per key holds, and to another one when that is gone.
/// </summary>
public sealed class ClusterMessenger : IClusterMessenger, IAsyncDisposable
{
    private readonly MessagingNode _node;

    /// <summary>Starts dialling the entry points of the other clusters.</summary>
    /// <param name="node">The node; started and disposed by its owner, before the messenger is used and after it is disposed.</param>
    /// <param name="entryPoints">Where silos of each cluster listen; the node's own cluster is passed over. A cluster that only dials in has none.</param>
    public ClusterMessenger(MessagingNode node, IReadOnlyDictionary<ClusterId, IReadOnlyList<PeerAddress>> entryPoints)
    {
        ArgumentNullException.ThrowIfNull(node);
        ArgumentNullException.ThrowIfNull(entryPoints);
        _node = node;
    }

    /// <inheritdoc/>
    public ClusterId LocalCluster => _node.Cluster;

    /// <inheritdoc/>
    public event Action<ClusterId>? LinkUp;

    /// <inheritdoc/>
    public ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default, CancellationToken cancellationToken = default) =>
        throw Next();

    /// <inheritdoc/>
    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default) => throw Next();

    /// <inheritdoc/>
    public IDisposable Handle(string service, ClusterMessageHandler handler) => throw Next();

    /// <summary>Stops dialling; the node and its links stay.</summary>
    public ValueTask DisposeAsync()
    {
        _ = LinkUp;
        return default;
    }

    private static NotSupportedException Next() => new("The messenger comes with the next change; this one settles the public surface.");
}
