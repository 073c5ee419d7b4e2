namespace Geo.Directory;

/// <summary>
/// Numbers the clusters that call a silo's grains: the local one is 0, then come the first ones that call, and one number for all others.
/// </summary>
internal sealed class CallerSlots(ClusterId local)
{
    /// <summary>How many numbers there are.</summary>
    public const int Most = 12;

    private readonly Lock _lock = new();
    private volatile ClusterId[] _clusters = [local];

    /// <summary>The clusters by their numbers; the last number, of those for which there was no room, has none.</summary>
    public IReadOnlyList<ClusterId> Clusters => _clusters;

    /// <summary>The number of a cluster.</summary>
    public int Of(ClusterId cluster)
    {
        var at = Array.IndexOf(_clusters, cluster);
        return at >= 0 ? at : Add(cluster);
    }

    private int Add(ClusterId cluster)
    {
        lock (_lock)
        {
            var at = Array.IndexOf(_clusters, cluster);
            if (at < 0 && _clusters.Length < Most - 1)
            {
                _clusters = [.. _clusters, cluster];
                at = _clusters.Length - 1;
            }

            return at >= 0 ? at : Most - 1;
        }
    }
}
