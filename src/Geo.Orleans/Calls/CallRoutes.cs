using System.Collections.Concurrent;

namespace Geo.Orleans;

/// <summary>
/// The clusters of the grains that recent calls were carried to. Only a short cut: the cluster that a call is carried to checks for itself,
/// and what is wrong here is corrected by its answer.
/// </summary>
internal sealed class CallRoutes(int limit)
{
    private readonly ConcurrentDictionary<GrainId, ClusterId> _clusters = new();
    private int _count;

    /// <summary>True when a grain may be in another cluster. Costs almost nothing while no grain is.</summary>
    public bool Knows(GrainId grain) => Volatile.Read(ref _count) != 0 && _clusters.ContainsKey(grain);

    public bool TryGet(GrainId grain, out ClusterId cluster) => _clusters.TryGetValue(grain, out cluster);

    public void Remember(GrainId grain, ClusterId cluster)
    {
        if (_clusters.TryAdd(grain, cluster))
        {
            if (Interlocked.Increment(ref _count) > limit)
            {
                OrleansMetrics.RoutesForgotten.Add(_clusters.Count);
                _clusters.Clear();
                Interlocked.Exchange(ref _count, 0);
            }
        }
        else
        {
            _clusters[grain] = cluster;
        }
    }

    public void Forget(GrainId grain, ClusterId stale)
    {
        if (_clusters.TryRemove(new(grain, stale)))
        {
            Interlocked.Decrement(ref _count);
        }
    }
}
