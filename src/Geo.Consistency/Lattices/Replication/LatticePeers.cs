namespace Geo.Consistency.Lattices;

/// <summary>The other replicas, by what each cluster says who its replicas are: a silo that restarts names another one.</summary>
/// <param name="self">This replica.</param>
/// <param name="others">The other clusters of the present configuration, and the other silos of this cluster.</param>
internal sealed class LatticePeers(ReplicaId self, Func<IReadOnlyList<LatticeAddress>> others)
{
    private readonly List<LatticePeer> _all = [];

    /// <summary>All that are known.</summary>
    internal IReadOnlyList<LatticePeer> All => _all;

    /// <summary>The replicas of this cluster.</summary>
    internal IReadOnlyList<ReplicaId> Members => [self, .. _all.Where(p => p.Address.Silo is not null).Select(p => p.Id)];

    /// <summary>A number that stands for all that are known, this one included: another one where any has begun anew.</summary>
    internal ulong Everyone => _all.Aggregate(self.Value, static (sum, peer) => unchecked(sum + peer.Id.Value));

    /// <summary>The addresses of which no replica is known.</summary>
    internal IEnumerable<LatticeAddress> Unknown => others().Where(a => !_all.Exists(p => p.Address == a));

    /// <summary>True where there are no others.</summary>
    internal bool IsAlone => others().Count == 0;

    /// <summary>True where another one has told what it has.</summary>
    internal bool HasTold => _all.Exists(p => p.HasTold);

    /// <summary>
    /// True where a replica that has this has all that those had which were there before it: what one of them had when it first told that
    /// it has; or, where all have told this one and none says so, because all begin, what each has.
    /// </summary>
    internal bool HaveGivenAll(VectorClock applied) => IsAlone || _all.Exists(p => p.JoinedWith is { } all && applied.Covers(all))
        || (!Unknown.Any() && _all.TrueForAll(p => p.KnowsThis && p.JoinedWith is null && applied.Covers(p.Applied)));

    /// <summary>
    /// The updates of these that every replica has, and whose sources are gone: what every joined replica has at all times. Nothing while
    /// one of them knew others when it told what it has: one that has begun anew, which is not known here, may have joined with less.
    /// </summary>
    internal VectorClock Settled(VectorClock updates, VectorClock applied) =>
        Everyone is var everyone && !_all.TrueForAll(p => p.Everyone == everyone) && !LatticeRules.IsOff(LatticeRule.SettledAmongAll)
            ? VectorClock.Bottom
            : updates.Meet(Stable(applied)).Beyond(_all.Select(p => p.Id).Append(self).Aggregate(
                VectorClock.Bottom, (live, id) => live.Merge(VectorClock.Of(id, long.MaxValue))));

    /// <summary>How many clusters there are, this one included.</summary>
    internal int Clusters => 1 + others().Count(a => a.Silo is null);

    internal bool IsConfigured(LatticeAddress address) => others().Contains(address);

    internal LatticePeer? Find(ReplicaId id) => _all.Find(p => p.Id == id);

    /// <summary>Lets go of clusters that are not configured any more, and silos that are dead.</summary>
    /// <returns>True when there were any.</returns>
    internal bool Refresh()
    {
        var present = others();
        return _all.RemoveAll(p => !present.Contains(p.Address)) > 0;
    }

    /// <summary>It was said who the replicas at an address are.</summary>
    /// <returns>True when that was not known.</returns>
    internal bool Set(LatticeAddress address, IReadOnlyList<ReplicaId> members)
    {
        var before = Everyone;
        _all.RemoveAll(p => p.Address == address && !members.Contains(p.Id));
        foreach (var member in members)
        {
            if (member != self && Find(member) is null)
            {
                _all.Add(new(member, address));
            }
        }

        return Everyone != before;
    }

    /// <summary>What all replicas have; nothing while a cluster has not said who its replicas are (design 4.9).</summary>
    internal VectorClock Stable(VectorClock applied) =>
        Unknown.Any() ? VectorClock.Bottom : _all.Aggregate(applied, (stable, peer) => stable.Meet(peer.Applied));

    /// <summary>The number of the last update made here that no known replica needs any more.</summary>
    internal long Acknowledged(long last) => _all.Aggregate(last, (least, peer) => Math.Min(least, peer.Acknowledged));

    /// <summary>In how many clusters, this one included, an update made here to a grain is known.</summary>
    internal int Knowing(GrainKey grain, long number) => 1 + _all
        .Where(p => p.Address.Silo is null && p.Acknowledged >= number && !p.Lacking.Contains(grain))
        .Select(p => p.Address.Cluster).Distinct().Count();
}
