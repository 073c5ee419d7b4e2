namespace Geo.Directory;

/// <summary>
/// The clusters of a multi-cluster as one silo has processed them: C_n of GEO section 3.3.1. Immutable.
/// </summary>
internal sealed record MultiClusterConfiguration
{
    private readonly ClusterId[] _clusters;

    // Of the clusters in their order; null while all are members.
    private readonly ClusterStage[]? _stages;

    /// <summary>Creates a configuration of members.</summary>
    /// <param name="version">Grows with every change.</param>
    /// <param name="clusters">The clusters, at least one, each named once.</param>
    /// <exception cref="GeoConfigurationException">No cluster is given, one is given twice, or one is none.</exception>
    public MultiClusterConfiguration(long version, IReadOnlyList<ClusterId> clusters)
    {
        ArgumentNullException.ThrowIfNull(clusters);
        (Version, Stamp) = (version, new(version, Digest: 0));
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

    /// <summary>Creates a configuration in which clusters may be joining or leaving.</summary>
    /// <exception cref="GeoConfigurationException">As above.</exception>
    internal MultiClusterConfiguration(ConfigurationStamp stamp, IReadOnlyDictionary<ClusterId, ClusterStage> clusters)
        : this(stamp.Version, [.. clusters.Keys]) => (Stamp, _stages) = (stamp, [.. _clusters.Select(c => clusters[c])]);

    /// <summary>Grows with every change of the configuration.</summary>
    public long Version { get; }

    /// <summary>What requests and replies of rounds say of it.</summary>
    internal ConfigurationStamp Stamp { get; }

    /// <summary>The clusters in precedence order.</summary>
    public IReadOnlyList<ClusterId> Clusters => _clusters;

    /// <summary>True when the cluster belongs to the multi-cluster.</summary>
    public bool Includes(ClusterId cluster) => Array.BinarySearch(_clusters, cluster) >= 0;

    /// <summary>All clusters but one, in precedence order: those that a round of <paramref name="local"/> asks.</summary>
    public IReadOnlyList<ClusterId> Others(ClusterId local) => Array.FindAll(_clusters, c => c != local);

    /// <summary>True for a member: a cluster that is joining or leaving becomes the owner of nothing.</summary>
    internal bool MayOwn(ClusterId cluster) =>
        Array.BinarySearch(_clusters, cluster) is >= 0 and var at && (_stages is null || _stages[at] == ClusterStage.Member);

    /// <inheritdoc/>
    public bool Equals(MultiClusterConfiguration? other) =>
        other is not null && Stamp == other.Stamp && _clusters.AsSpan().SequenceEqual(other._clusters)
        && _clusters.All(c => MayOwn(c) == other.MayOwn(c));

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Version, _clusters.Length, _clusters[0]);
}
