namespace Geo.Consistency.Lattices;

/// <summary>The other replicas, by what each cluster says who its replicas are: a cluster that restarts names another one.</summary>
internal sealed class LatticePeers(ReplicaId self, ClusterId cluster, Func<IReadOnlyList<ClusterId>> clusters)
{
    private readonly List<LatticePeer> _all = [];

    /// <summary>All that are known, of clusters that are configured.</summary>
    internal IReadOnlyList<LatticePeer> All => _all;

    /// <summary>The replicas of this cluster.</summary>
    internal IReadOnlyList<ReplicaId> Members => [self, .. _all.Where(p => p.Cluster == cluster).Select(p => p.Id)];

    /// <summary>The other clusters of which no replica is known.</summary>
    internal IEnumerable<ClusterId> Unknown => clusters().Where(c => c != cluster && !_all.Exists(p => p.Cluster == c));

    internal bool IsConfigured(ClusterId other) => clusters().Contains(other);

    internal LatticePeer? Find(ReplicaId id) => _all.Find(p => p.Id == id);

    /// <summary>A cluster has named its replicas.</summary>
    internal void Set(ClusterId other, IReadOnlyList<ReplicaId> members)
    {
        _all.RemoveAll(p => (p.Cluster == other && !members.Contains(p.Id)) || !IsConfigured(p.Cluster));
        foreach (var member in members)
        {
            if (member != self && Find(member) is null)
            {
                _all.Add(new(member, other));
            }
        }
    }

    /// <summary>What all replicas have; nothing while a cluster has not said who its replicas are (design 4.9).</summary>
    internal VectorClock Stable(VectorClock applied) =>
        Unknown.Any() ? VectorClock.Bottom : _all.Aggregate(applied, (stable, peer) => stable.Meet(peer.Applied));

    /// <summary>The number of the last update made here that all known replicas have.</summary>
    internal long Acknowledged(long last) => _all.Aggregate(last, (least, peer) => Math.Min(least, peer.Applied[self]));

    /// <summary>In how many clusters, this one included, an update made here is known.</summary>
    internal int Knowing(long number) =>
        1 + _all.Where(p => p.Cluster != cluster && p.Applied[self] >= number).Select(p => p.Cluster).Distinct().Count();
}
