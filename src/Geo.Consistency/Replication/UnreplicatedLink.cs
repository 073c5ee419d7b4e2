namespace Geo.Consistency;

/// <summary>The link of a single-instance grain: there are no others.</summary>
internal sealed class UnreplicatedLink(ClusterId local) : IReplicaLink
{
    public ClusterId Local => local;

    public IReadOnlyList<ClusterId> Others => [];

    public void Notify(ReadOnlyMemory<byte> payload, ReadOnlyMemory<byte> digest = default, IReadOnlyCollection<ClusterId>? except = null)
    {
        // Nobody else holds a copy.
    }

    public ValueTask<ClusterReply> RequestAsync(
        ClusterId to, ReadOnlyMemory<byte> payload, bool activate, CancellationToken cancellationToken = default) =>
        new(ClusterReply.Refused($"a single-instance grain has no instance in cluster {to}"));
}
