namespace Geo.Directory;

/// <summary>
/// The clusters of the multi-cluster as an operator sees and changes them while silos run, through any silo that names a configuration
/// store. One cluster comes or goes at a time, and each change waits until every living silo has processed the one before: what cannot be
/// done yet is refused with the reason, and nothing is queued.
/// </summary>
public interface IGeoConfiguration
{
    /// <summary>The present version, and how far each cluster has come with it.</summary>
    /// <exception cref="GeoUnavailableException">The configuration store does not answer.</exception>
    ValueTask<ConfigurationView> DescribeAsync(CancellationToken cancellationToken = default);

    /// <summary>
    /// Takes a cluster in whose silos run already. It is joining at once, asked and told where grains are, and a member, that may own
    /// them, when all silos have processed that.
    /// </summary>
    /// <param name="cluster">The cluster.</param>
    /// <param name="entryPoints">Where its silos are reached, <c>host:port</c>; none for one that only dials out.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoUnavailableException">The store does not answer; whether the change was made may not be known.</exception>
    /// <exception cref="FormatException">An entry point is no address.</exception>
    ValueTask<ConfigurationChange> AddAsync(
        ClusterId cluster, IReadOnlyList<string> entryPoints, CancellationToken cancellationToken = default);

    /// <summary>
    /// Takes a cluster out. It is leaving at once, gives up its single-instance grains in order, each to whoever calls it next, and has
    /// gone when it holds none.
    /// </summary>
    /// <exception cref="GeoUnavailableException">The store does not answer; whether the change was made may not be known.</exception>
    ValueTask<ConfigurationChange> RemoveAsync(ClusterId cluster, CancellationToken cancellationToken = default);

    /// <summary>Changes where a cluster is reached. Links that are up stay up.</summary>
    /// <exception cref="GeoUnavailableException">The store does not answer; whether the change was made may not be known.</exception>
    /// <exception cref="FormatException">An entry point is no address.</exception>
    ValueTask<ConfigurationChange> ReachAsync(
        ClusterId cluster, IReadOnlyList<string> entryPoints, CancellationToken cancellationToken = default);

    /// <summary>
    /// Takes clusters out at once that are lost for ever, by the operator's word. If one of them lives, its single-instance grains may
    /// exist there and elsewhere at the same time, until it reaches the configuration store; what it alone has confirmed of volatile state
    /// is lost. All that are lost are named together: none of them is waited for.
    /// </summary>
    /// <exception cref="GeoUnavailableException">The store does not answer; whether the change was made may not be known.</exception>
    ValueTask<ConfigurationChange> ForceRemoveAsync(IReadOnlyList<ClusterId> lost, CancellationToken cancellationToken = default);
}
