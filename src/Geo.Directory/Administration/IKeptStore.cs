namespace Geo.Directory;

/// <summary>A store that the clusters keep together, of which an operator takes some in and out while all run.</summary>
internal interface IKeptStore
{
    /// <summary>How long after a forced removal nobody is served yet: longer than a lease that is kept in it may be held.</summary>
    TimeSpan ForcedWait { get; }

    /// <summary>The clusters that keep it.</summary>
    /// <exception cref="GeoUnavailableException">No majority of them answers.</exception>
    Task<StoreKeepers> DescribeKeepersAsync(CancellationToken cancellationToken = default);

    /// <summary>Has one cluster more keep it.</summary>
    /// <exception cref="GeoUnavailableException">No majority answers; whether the change was made may not be known.</exception>
    Task<ConfigurationChange> AddKeeperAsync(ClusterId cluster, CancellationToken cancellationToken = default);

    /// <summary>Has one cluster less keep it.</summary>
    /// <exception cref="GeoUnavailableException">No majority answers; whether the change was made may not be known.</exception>
    Task<ConfigurationChange> RemoveKeeperAsync(ClusterId cluster, CancellationToken cancellationToken = default);

    /// <summary>
    /// Goes on without clusters that are lost for ever, by the operator's word, where no majority is left: all that are lost are named.
    /// </summary>
    /// <exception cref="GeoUnavailableException">One that is left does not answer; whether it was made may not be known.</exception>
    Task<ConfigurationChange> ForceRemoveKeepersAsync(IReadOnlyList<ClusterId> lost, CancellationToken cancellationToken = default);
}
