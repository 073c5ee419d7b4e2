namespace Geo.Directory;

/// <summary>Keeps a silo from starting beside one of its cluster that knows other clusters.</summary>
/// <remarks>
/// A silo writes its lease, with its list, before it looks at the leases of others. Of two that start at one time at least one therefore
/// sees the other's, whatever the order of their steps, and does not start; perhaps neither does.
/// </remarks>
/// <param name="rows">The row store of the cluster, of which each operation ends in time.</param>
/// <param name="membership">The silos.</param>
/// <param name="fences">The fences of those that are dead.</param>
/// <param name="own">The list of this silo, as <see cref="ClusterList"/> writes it.</param>
internal sealed class ClusterListCheck(IConditionalStore rows, ISiloMembership membership, SiloFences fences, string own)
{
    /// <summary>
    /// Looks at all leases of the cluster. One that a dead silo left is fenced off first, which takes two lease durations.
    /// </summary>
    /// <exception cref="GeoConfigurationException">A silo with another list of clusters holds a lease.</exception>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        foreach (var lease in await ListAsync(cancellationToken))
        {
            var node = LeaseRow.NodeOf(lease.Key);
            var unreadable = new LeaseRow { Clusters = "a list that this version of Geo cannot read" };
            var row = LeaseRow.Of(StoreRead.Found(lease.Value, lease.ETag), unreadable);
            if (node != membership.Local && row is { IsFenced: false } && row.Clusters != own
                && !SwitchedOff.Is(ProtocolRule.ListsAreCompared) && await MayServeAsync(node, cancellationToken))
            {
                throw new GeoConfigurationException(ClusterList.Refusal(membership.Local, own, node, row.Clusters));
            }
        }
    }

    private async Task<List<StoreEntry>> ListAsync(CancellationToken cancellationToken)
    {
        List<StoreEntry> leases = [];
        await foreach (var lease in rows.ListAsync(LeaseRow.Prefix, cancellationToken))
        {
            leases.Add(lease);
        }

        return leases;
    }

    private async Task<bool> MayServeAsync(string node, CancellationToken cancellationToken) =>
        membership.Members.MayBeCalled(node)
        || await fences.EndOfAsync(node, membership.Members.StateOf(node) == SiloState.Dead, cancellationToken) switch
        {
            SiloEnd.Gone => false,
            SiloEnd.Living => true,
            _ => throw new GeoUnavailableException(
                $"The silo cannot start: silo '{node}' held a lease and knew other clusters, and the store of the directory's rows does "
                + "not tell whether it has ended; try again."),
        };
}
