namespace Geo.Directory;

/// <summary>What a silo is among the silos of its cluster, as the ownership of grains by majority needs it.</summary>
/// <param name="Node">The silo: another name for each start of it.</param>
/// <param name="MayBeCalled">True of a silo of this cluster to which calls can be sent.</param>
internal sealed record QuorumSurroundings(string Node, Func<string, bool> MayBeCalled)
{
    /// <summary>The clusters that this silo works with, of which only members own grains; null where all do.</summary>
    public Func<MultiClusterConfiguration>? Clusters { get; init; }

    /// <summary>True for a grain whose class this silo serves; null where it serves all.</summary>
    public Func<GrainKey, bool>? Serves { get; init; }

    /// <summary>The way to the other silos of the cluster; null where this one is its cluster.</summary>
    public ISiblings? Siblings { get; init; }

    /// <summary>True for a cluster that may become the owner of a grain.</summary>
    public bool MayOwn(ClusterId cluster) =>
        Clusters is null || SwitchedOff.Is(ProtocolRule.MembersOwn) || Clusters().MayOwn(cluster);

    /// <summary>The clusters besides one; none where they are not known.</summary>
    public IReadOnlyList<ClusterId> Others(ClusterId but) => Clusters?.Invoke().Others(but) ?? [];

    /// <summary>The clusters besides one that may.</summary>
    public IEnumerable<ClusterId> Members(ClusterId but) =>
        Clusters?.Invoke() is { } clusters ? clusters.Others(but).Where(clusters.MayOwn) : [];
}
