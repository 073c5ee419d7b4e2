namespace Geo.Consistency.Lattices;

/// <summary>What one other cluster lacks of one class, as far as it has said.</summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="GrainClass">The class.</param>
/// <param name="Grains">How many grains have updates made here that it has not acknowledged.</param>
/// <param name="Lag">
/// How long ago the grain of these that was updated here longest ago was; exact to an epoch, and 0 where that was before it was known here.
/// </param>
internal readonly record struct LatticeLag(ClusterId Cluster, string GrainClass, int Grains, TimeSpan Lag)
{
    /// <summary>What a replica of another cluster has not acknowledged, by class.</summary>
    internal static IEnumerable<LatticeLag> Of(LatticePeer peer, LatticeData data, Func<long, TimeSpan> since)
    {
        var classes = new Dictionary<string, (int Grains, long Oldest)>(StringComparer.Ordinal);

        // What was made before it was known here is not listed: it asks for that.
        var cells = peer.Acknowledged < data.Trimmed
            ? data.Cells.All.Where(cell => cell.Own > peer.Acknowledged)
            : data.Changes.Since(peer.Acknowledged);
        foreach (var cell in cells)
        {
            var (grains, oldest) = classes.GetValueOrDefault(cell.Class.Name, (0, cell.Own));
            classes[cell.Class.Name] = (grains + 1, Math.Min(oldest, cell.Own));
        }

        return classes.Select(c => new LatticeLag(peer.Address.Cluster, c.Key, c.Value.Grains, since(c.Value.Oldest)));
    }

    /// <summary>One of each cluster and class, from what replicas of different grains tell, each of which may know several silos.</summary>
    internal static IEnumerable<LatticeLag> Sum(IEnumerable<IReadOnlyList<LatticeLag>> replicas) => replicas
        .SelectMany(lags => lags.GroupBy(l => (l.Cluster, l.GrainClass)).Select(l => l.MaxBy(one => one.Grains) with
        {
            Lag = l.Max(one => one.Lag),
        }))
        .GroupBy(l => (l.Cluster, l.GrainClass))
        .Select(l => new LatticeLag(l.Key.Cluster, l.Key.GrainClass, l.Sum(one => one.Grains), l.Max(one => one.Lag)));
}
