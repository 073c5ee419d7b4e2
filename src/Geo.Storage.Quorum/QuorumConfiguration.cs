namespace Geo.Storage.Quorum;

/// <summary>The clusters whose stores keep the register's values at the beginning: later ones are kept by the register itself.</summary>
/// <param name="Version">Its number, 1 or more: clusters with another one do not count each other.</param>
/// <param name="Acceptors">The clusters, each once.</param>
public sealed record QuorumConfiguration(long Version, IReadOnlyList<ClusterId> Acceptors)
{
    /// <summary>How many acceptors decide.</summary>
    public int Majority => (Acceptors.Count / 2) + 1;

    /// <summary>The same for all that name the same clusters, in whatever order.</summary>
    internal string InWords => $"version {Version} of [{string.Join(", ", Acceptors.Order())}]";

    /// <exception cref="GeoConfigurationException">There is no acceptor, one is named twice, or the version is not positive.</exception>
    internal QuorumConfiguration Checked()
    {
        if (Version < 1 || Acceptors is not { Count: > 0 } || Acceptors.Distinct().Count() != Acceptors.Count)
        {
            throw new GeoConfigurationException(
                $"The configuration of a quorum store cannot be: version {Version} (1 or more is needed) of the clusters "
                + $"[{string.Join(", ", Acceptors ?? [])}] (at least one is needed, each once).");
        }

        return this;
    }
}
