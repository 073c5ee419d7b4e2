namespace Geo.Directory;

/// <summary>
/// The clusters of a multi-cluster as one silo has processed them: C_n of GEO section 3.3.1. Immutable.
/// </summary>
public sealed record MultiClusterConfiguration
{
    private readonly ClusterId[] _clusters;

    /// <summary>Creates a configuration.</summary>
    /// <param name="version">Grows with every change.</param>
    /// <param name="clusters">The clusters, at least one, each named once.</param>
    /// <exception cref="GeoConfigurationException">No cluster is given, one is given twice, or one is none.</exception>
    public MultiClusterConfiguration(long version, IReadOnlyList<ClusterId> clusters)
    {
        ArgumentNullException.ThrowIfNull(clusters);
        Version = version;
        _clusters = [.. clusters.Order()];
        if (_clusters.Length == 0)
        {
            throw new GeoConfigurationException(
                $"Configuration {version} of the multi-cluster names no cluster; name at least the local one.");
        }

        for (var i = 0; i < _clusters.Length; i++)
        {
            if (_clusters[i].IsNone || (i > 0 && _clusters[i] == _clusters[i - 1]))
            {
                throw new GeoConfigurationException(
                    $"Configuration {version} of the multi-cluster is '{string.Join(", ", _clusters)}': each cluster needs a name of its "
                    + "own.");
            }
        }
    }

    /// <summary>Grows with every change of the configuration.</summary>
    public long Version { get; }

    /// <summary>The clusters in precedence order.</summary>
    public IReadOnlyList<ClusterId> Clusters => _clusters;

    /// <summary>True when the cluster belongs to the multi-cluster.</summary>
    public bool Includes(ClusterId cluster) => Array.BinarySearch(_clusters, cluster) >= 0;

    /// <summary>All clusters but one, in precedence order: those that a round of <paramref name="local"/> asks.</summary>
    public IReadOnlyList<ClusterId> Others(ClusterId local) => Array.FindAll(_clusters, c => c != local);

    /// <inheritdoc/>
    public bool Equals(MultiClusterConfiguration? other) =>
        other is not null && Version == other.Version && _clusters.AsSpan().SequenceEqual(other._clusters);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Version, _clusters.Length, _clusters[0]);
}
