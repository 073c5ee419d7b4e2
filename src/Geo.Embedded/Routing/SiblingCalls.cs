using Geo.Directory;

namespace Geo.Embedded;

/// <summary>
/// Where a call goes within a cluster of several silos: a single-instance grain is where its row says, every other grain on the silo that
/// its key falls to among the living ones.
/// </summary>
internal sealed class SiblingCalls(SiloNeighbours neighbours, ClusterSilo cluster)
{
    /// <summary>The service under which silos pass calls to each other; a call is passed once.</summary>
    public const string Service = "geo.embedded.call";

    private SiloMembers Members => neighbours.Membership.Members;

    /// <summary>
    /// True for another silo that can be called. The grains of one that cannot begin here, which waits until it is fenced off.
    /// </summary>
    public bool IsElsewhere(string? node) =>
        node is not null && node != neighbours.Membership.Local && cluster.Liveness.MayBeCalled(node);

    /// <summary>True of a silo that this one takes for fenced off.</summary>
    public bool IsGone(string node) => cluster.Liveness.IsKnownGone(node);

    /// <summary>The silo of a grain that has one instance in each cluster, or may have.</summary>
    public string HomeOf(GrainKey key)
    {
        // Rendezvous hashing: a grain moves only when its own silo comes or goes.
        var (home, best) = (neighbours.Membership.Local, 0ul);
        var of = key.ToPartitionKey().Mix();
        foreach (var member in Members.All)
        {
            if (member.State == SiloState.Living && StableHash.Mix(of ^ PartitionKey.From(member.Node).Mix()) is var score && score > best)
            {
                (home, best) = (member.Node, score);
            }
        }

        return home;
    }

    /// <summary>Passes a call and waits for its end.</summary>
    public ValueTask<ClusterReply> PassAsync(
        string node, ReadOnlyMemory<byte> call, TimeSpan timeout, CancellationToken cancellationToken) =>
        neighbours.Siblings.AskAsync(node, Service, call, timeout, cancellationToken);

    /// <summary>Passes a call that nobody waits for.</summary>
    public void Pass(string node, ReadOnlyMemory<byte> call) => neighbours.Siblings.Tell(node, Service, call);

    /// <summary>Forgets that a grain is in another cluster, on all silos.</summary>
    public void Forget(GrainKey key, ClusterId stale) => cluster.Forget(key, stale);
}
