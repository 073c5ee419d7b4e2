namespace Geo.Directory;

/// <summary>The leases of a cluster's silos, and whether those who hold them may still serve.</summary>
/// <param name="rows">The row store of the cluster, of which each operation ends in time.</param>
/// <param name="membership">The silos.</param>
/// <param name="fences">The fences of those that are dead.</param>
internal sealed class LiveLeases(IConditionalStore rows, ISiloMembership membership, SiloFences fences)
{
    /// <summary>All leases that are not fenced.</summary>
    /// <param name="unreadable">What stands in the place of a row that this version cannot read.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    public async Task<List<(string Node, LeaseRow Row)>> ListAsync(LeaseRow unreadable, CancellationToken cancellationToken)
    {
        var leases = new List<(string, LeaseRow)>();
        await foreach (var lease in rows.ListAsync(LeaseRow.Prefix, cancellationToken))
        {
            if (LeaseRow.Of(StoreRead.Found(lease.Value, lease.ETag), unreadable) is { IsFenced: false } row)
            {
                leases.Add((LeaseRow.NodeOf(lease.Key), row));
            }
        }

        return leases;
    }

    /// <summary>
    /// Living where the silo passes for living. One that a dead silo left is fenced off first, which takes two lease durations.
    /// </summary>
    public async Task<SiloEnd> EndOfAsync(string node, CancellationToken cancellationToken) =>
        membership.Members.MayBeCalled(node)
            ? SiloEnd.Living
            : await fences.EndOfAsync(node, membership.Members.StateOf(node) == SiloState.Dead, cancellationToken);
}
