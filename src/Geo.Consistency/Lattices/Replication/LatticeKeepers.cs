namespace Geo.Consistency.Lattices;

/// <summary>Who keeps what a replica has that stops.</summary>
/// <param name="node">The replica.</param>
/// <param name="isReachable">True while an address can be reached.</param>
/// <param name="siblings">The other silos of the cluster; null where there is none.</param>
internal sealed class LatticeKeepers(LatticeNode node, Func<LatticeAddress, bool> isReachable, LatticeSiblings? siblings)
{
    // What was here once all had heard: what comes later its sender has, who knows that nobody keeps it here.
    private VectorClock? _all;

    /// <summary>
    /// Who gets what this replica may take: another silo of the cluster, or one of a cluster with a link, that lives and does not stop,
    /// too; null for nobody.
    /// </summary>
    internal LatticePeer? Heir => node.Peers.All.Where(p => node.HasHeardOfLeaving(p) && MayKeep(p))
        .MinBy(p => (p.Address.Silo is null, p.Id));

    /// <summary>True where there are any.</summary>
    internal bool AreThere => node.Peers.All.Any(MayKeep);

    /// <summary>
    /// True where one of them has all that is here, whoever made it, or there is none: one that has just begun may not have asked yet.
    /// </summary>
    /// <param name="haveHeard">
    /// True once all have heard that this replica stops: one that has not may let go of what it sends here.
    /// </param>
    internal bool HaveAll(bool haveHeard)
    {
        var all = (haveHeard ? _all ??= node.Data.Vouched : _all) ?? node.Data.Vouched;
        var keepers = node.Peers.All.Where(MayKeep).ToList();
        return keepers.Exists(p =>
                (node.HasHeardOfLeaving(p) || LatticeRules.IsOff(LatticeRule.KeepersHaveHeard)) && p.Told.Covers(all))
            || (keepers.Count == 0 && (node.Peers.Shelter is not { } shelter || !isReachable(shelter) || IsLeaving(shelter)));
    }

    /// <summary>
    /// Where no cluster that should have a replica lives and keeps what is here, those that have none, and can be reached, of which one
    /// takes it until one that should have it asks; nothing where that is not needed. Who is known to stop comes last: it may have begun
    /// anew since.
    /// </summary>
    internal IEnumerable<LatticeAddress> Shelters => node.Data.Cells.Count == 0 || AreThere
        ? []
        : node.Peers.Visitors.Where(isReachable).OrderBy(IsLeaving);

    private bool IsLeaving(LatticeAddress address) => node.Peers.All.Any(p => p.Address == address && p.IsLeaving);

    private bool MayKeep(LatticePeer peer) => isReachable(peer.Address) && !node.Peers.IsVisitor(peer)
        && !peer.IsLeaving && siblings?.IsLeaving(peer.Address) != true;
}
