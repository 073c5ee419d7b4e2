namespace Geo.Directory;

/// <summary>The configuration that a silo works with, which changes while it runs: C_n of GEO section 3.3.1.</summary>
internal sealed class LiveConfiguration(ClusterId local, MultiClusterConfiguration first)
{
    private readonly Lock _lock = new();
    private volatile MultiClusterConfiguration _present = first;
    private long _since = first.Version;

    /// <summary>Raised when somebody works with a later version. A hint: it may come late, or never.</summary>
    public event Action? Behind;

    /// <summary>The present one. What is decided by several parts of it takes it once.</summary>
    public MultiClusterConfiguration Present => _present;

    /// <summary>
    /// The version since which no cluster has come, as far as this silo has processed each version after the other: a round on any version
    /// since then has asked all clusters of the present one. A silo that starts knows of no version before its first.
    /// </summary>
    public long Since => Volatile.Read(ref _since);

    /// <summary>The clusters that a round which begins now asks.</summary>
    public IReadOnlyList<ClusterId> Others => _present.Others(local);

    /// <summary>Somebody else works with this one.</summary>
    public void Hear(ConfigurationStamp other)
    {
        if (other.IsLive && other.Version > _present.Version)
        {
            Behind?.Invoke();
        }
    }

    /// <summary>Works with a later version from here on.</summary>
    /// <returns>False where it is no later one.</returns>
    /// <exception cref="GeoConfigurationException">It lacks this cluster.</exception>
    public bool Process(MultiClusterConfiguration next)
    {
        if (!next.Includes(local))
        {
            throw new GeoConfigurationException(
                $"Configuration {next.Version} of the multi-cluster ({string.Join(", ", next.Clusters)}) lacks the local cluster "
                + $"'{local}'.");
        }

        lock (_lock)
        {
            if (next.Version <= _present.Version)
            {
                return false;
            }

            // First: who reads the two in between takes fewer rows for covered, not more.
            if (next.Version != _present.Version + 1 || !next.Clusters.All(_present.Includes))
            {
                Volatile.Write(ref _since, next.Version);
            }

            _present = next;
            return true;
        }
    }
}
