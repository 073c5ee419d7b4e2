namespace Geo.Directory;

/// <summary>Keeps a silo from starting beside one of its cluster that knows other clusters.</summary>
/// <remarks>
/// A silo writes its lease, with its list, before it looks at the leases of others. Of two that start at one time at least one therefore
/// sees the other's, whatever the order of their steps, and does not start; perhaps neither does.
/// </remarks>
/// <param name="leases">The leases of the cluster.</param>
/// <param name="local">This silo.</param>
/// <param name="own">The list of this silo, as <see cref="ClusterList"/> writes it.</param>
internal sealed class ClusterListCheck(LiveLeases leases, string local, string own)
{
    private static readonly LeaseRow Unreadable = new() { Clusters = "a list that this version of Geo cannot read" };

    /// <summary>
    /// Looks at all leases of the cluster. One that a dead silo left is fenced off first, which takes two lease durations.
    /// </summary>
    /// <exception cref="GeoConfigurationException">A silo with another list of clusters holds a lease.</exception>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        foreach (var (node, row) in await leases.ListAsync(Unreadable, cancellationToken))
        {
            if (node != local && row.Clusters != own && !SwitchedOff.Is(ProtocolRule.ListsAreCompared)
                && await MayServeAsync(node, cancellationToken))
            {
                throw new GeoConfigurationException(ClusterList.Refusal(local, own, node, row));
            }
        }
    }

    private async Task<bool> MayServeAsync(string node, CancellationToken cancellationToken) =>
        await leases.EndOfAsync(node, cancellationToken) switch
        {
            SiloEnd.Gone => false,
            SiloEnd.Living => true,
            _ => throw new GeoUnavailableException(
                $"The silo cannot start: silo '{node}' held a lease and knew other clusters, and the store of the directory's rows does "
                + "not tell whether it has ended; try again."),
        };
}
