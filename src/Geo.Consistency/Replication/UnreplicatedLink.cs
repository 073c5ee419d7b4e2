namespace Geo.Consistency;

/// <summary>The link of single-instance grains: there are no others.</summary>
internal sealed class UnreplicatedLink(ClusterId local) : IReplicaLink
{
    public ClusterId Local => local;

    public IReadOnlyList<ClusterId> Others => [];

    public void Notify(
        GrainKey grain, ReadOnlyMemory<byte> payload, ReadOnlyMemory<byte> digest = default, IReadOnlyCollection<ClusterId>? except = null)
    {
        // Nobody else holds a copy.
    }

    public ValueTask<ClusterReply> RequestAsync(
        GrainKey grain, ClusterId to, ReadOnlyMemory<byte> payload, bool activate, CancellationToken cancellationToken = default) =>
        new(ClusterReply.Refused($"{grain} has a single instance, and none in cluster {to}"));
}
