namespace Geo.Consistency.Lattices;

/// <summary>The other replicas, by what each cluster says who its replicas are: a silo that restarts names another one.</summary>
/// <remarks>
/// Where some clusters only have replicas, silos that have started with an earlier configuration may count others in. One that they count
/// joins them: what they have, nobody else may have. One that nobody else counts, a visitor, is a replica like others while it answers; it
/// is not waited for. One that has nothing, and that nobody counts in, is aside.
/// </remarks>
/// <param name="self">This replica.</param>
/// <param name="others">The other clusters that have replicas, and the other silos of this cluster.</param>
/// <param name="isHolder">True where this cluster has one by the present configuration.</param>
/// <param name="hasAny">True where it has something, by what is stored or by an earlier configuration.</param>
/// <param name="visitors">The other clusters, which have none by it.</param>
/// <param name="statusInterval">How often a visitor is asked whether it still is one.</param>
internal sealed class LatticePeers(
    ReplicaId self, Func<IReadOnlyList<LatticeAddress>> others, Func<bool> isHolder, Func<bool> hasAny,
    Func<IEnumerable<ClusterId>> visitors, TimeSpan statusInterval)
{
    // In units of statusInterval: until one that does not answer is let go.
    private const int VisitPatience = 6;

    private readonly List<LatticePeer> _all = [];
    private readonly HashSet<LatticeAddress> _answered = [];

    /// <summary>
    /// True where this cluster has a replica, by the present configuration, by what is stored, or because another one counts it in.
    /// </summary>
    internal bool TakesPart => isHolder() || IsCounted
        || (Guest == LatticeGuestState.None ? hasAny() : Guest != LatticeGuestState.Rests);

    /// <summary>True where this cluster has a replica by the present configuration.</summary>
    internal bool IsHolder => isHolder();

    /// <summary>True where another cluster counts this replica in.</summary>
    internal bool IsCounted { get; private set; }

    /// <summary>Whether this replica is here because its part was hot, and still takes part.</summary>
    internal LatticeGuestState Guest { get; set; }

    /// <summary>A cluster that has none by it, and takes what this one has, which stops; null for none.</summary>
    internal LatticeAddress? Shelter { get; set; }

    /// <summary>The other clusters that have none by the present configuration, those that would be next before the others.</summary>
    internal IEnumerable<LatticeAddress> Visitors => visitors().Select(cluster => new LatticeAddress(cluster));

    /// <summary>All that are known.</summary>
    internal IReadOnlyList<LatticePeer> All => _all;

    /// <summary>The replicas of this cluster.</summary>
    internal IReadOnlyList<ReplicaId> Members => [self, .. _all.Where(p => p.Address.Silo is not null).Select(p => p.Id)];

    /// <summary>A number that stands for all that are known, this one included: another one where any has begun anew.</summary>
    internal ulong Everyone => _all.Aggregate(self.Value, static (sum, peer) => unchecked(sum + peer.Id.Value));

    /// <summary>The addresses of which no replica is known.</summary>
    internal IEnumerable<LatticeAddress> Unknown => Others.Where(a => !_all.Exists(p => p.Address == a));

    /// <summary>The addresses that should have nothing, and have not said whether they do, or count this replica in.</summary>
    internal IEnumerable<LatticeAddress> Unasked => (TakesPart ? [] : others()).Concat(Visitors)
        .Where(a => a != Shelter && !_answered.Contains(a) && !_all.Exists(p => p.Address == a));

    /// <summary>True where there are no others.</summary>
    internal bool IsAlone => Others.Count == 0;

    /// <summary>True where another one has told what it has.</summary>
    internal bool HasTold => _all.Exists(p => p.HasTold);

    /// <summary>
    /// True where a replica that has this has all that those had which were there before it: what one of them had when it first told that
    /// it has; or, where all have told this one and none says so, because all begin, what each has.
    /// </summary>
    internal bool HaveGivenAll(VectorClock applied)
    {
        // Who has no part by the configuration has what those have that do: others like it may lack what its callers have seen.
        var givers = IsHolder ? _all : [.. Counted];
        return IsAlone
            || givers.Exists(p => p.JoinedWith is { } all && applied.Covers(all))
            || (!Unknown.Any() && givers.TrueForAll(p => p.KnowsThis && p.JoinedWith is null && applied.Covers(p.Applied)));
    }

    /// <summary>
    /// The updates of these that every replica has, and whose sources are gone: what every joined replica has at all times. Nothing while
    /// one of them knew others when it told what it has: one that has begun anew, which is not known here, may have joined with less.
    /// </summary>
    internal VectorClock Settled(VectorClock updates, VectorClock applied) =>
        Everyone is var everyone && !_all.TrueForAll(p => p.Everyone == everyone) && !LatticeRules.IsOff(LatticeRule.SettledAmongAll)
            ? VectorClock.Bottom
            : updates.Meet(Stable(applied)).Beyond(_all.Select(p => p.Id).Append(self).Aggregate(
                VectorClock.Bottom, (live, id) => live.Merge(VectorClock.Of(id, long.MaxValue))));

    /// <summary>How many clusters have a replica by the present configuration.</summary>
    internal int Clusters => (IsHolder ? 1 : 0) + others().Count(a => a.Silo is null);

    /// <summary>True for the addresses of configured clusters: what others say is not heard.</summary>
    internal bool Knows(LatticeAddress from) => others().Contains(from) || MayVisit(from);

    /// <summary>True for the addresses that have a replica by the present configuration.</summary>
    internal bool MayHold(LatticeAddress address) => others().Contains(address);

    /// <summary>Forgets all that is known of others, as where a replica begins.</summary>
    internal void Clear()
    {
        _all.Clear();
        _answered.Clear();
    }

    /// <summary>Forgets who is at an address until that is said again.</summary>
    internal void Forget(LatticeAddress address) => _all.RemoveAll(p => p.Address == address);

    /// <summary>A visitor says that it is none.</summary>
    internal void Leave(ReplicaId id) => _all.RemoveAll(p => p.Id == id && IsVisitor(p));

    /// <summary>A configured cluster counts this replica in.</summary>
    internal void CountIn() => IsCounted = true;

    /// <summary>An address has said what it has, and whom it counts in.</summary>
    internal void HasAnswered(LatticeAddress from) => _answered.Add(from);

    /// <summary>It may have begun anew since.</summary>
    internal void AskAgain(LatticeAddress address) => _answered.Remove(address);

    /// <summary>True for an address that this replica counts in.</summary>
    internal bool Counts(LatticeAddress address) => Others.Contains(address);

    internal bool IsVisitor(LatticePeer peer) => peer.Address != Shelter && MayVisit(peer.Address);

    /// <summary>The replicas of other clusters that have one by the present configuration.</summary>
    internal IEnumerable<LatticePeer> Counted => _all.Where(p => p.Address.Silo is null && !IsVisitor(p));

    internal LatticePeer? Find(ReplicaId id) => _all.Find(p => p.Id == id);

    /// <summary>Lets go of clusters that are not configured any more, silos that are dead, and visitors that have gone.</summary>
    /// <returns>True when there were any.</returns>
    internal bool Refresh(TimeSpan now)
    {
        var present = Others;
        var heardSince = now - (VisitPatience * statusInterval);
        return _all.RemoveAll(p => !present.Contains(p.Address) && (!IsVisitor(p) || p.HeardAt <= heardSince)) > 0;
    }

    /// <summary>It was said who the replicas at an address are.</summary>
    /// <param name="address">The address.</param>
    /// <param name="members">They.</param>
    /// <param name="asks">The last asking from here.</param>
    /// <param name="now">The time.</param>
    /// <returns>True when that was not known.</returns>
    internal bool Set(LatticeAddress address, IReadOnlyList<ReplicaId> members, long asks, TimeSpan now)
    {
        var before = Everyone;
        _all.RemoveAll(p => p.Address == address && !members.Contains(p.Id));
        foreach (var member in members)
        {
            if (member != self && Find(member) is null)
            {
                _all.Add(new(member, address, now, asks));
            }
        }

        return Everyone != before;
    }

    /// <summary>What all replicas have; nothing while a cluster has not said who its replicas are (design 4.9).</summary>
    internal VectorClock Stable(VectorClock applied) =>
        Unknown.Any() ? VectorClock.Bottom : _all.Aggregate(applied, (stable, peer) => stable.Meet(peer.Applied));

    /// <summary>The number of the last update made here that no known replica needs any more.</summary>
    internal long Acknowledged(long last) => _all.Aggregate(last, (least, peer) => Math.Min(least, peer.Acknowledged));

    /// <summary>
    /// In how many of the clusters that have a replica by the present configuration an update made here to a grain is known.
    /// </summary>
    internal int Knowing(GrainKey grain, long number) => Guest == LatticeGuestState.Rests
        ? Clusters
        : (IsHolder ? 1 : 0) + _all
            .Where(p => p.Address.Silo is null && p.Acknowledged >= number && !p.Lacking.Contains(grain) && !IsVisitor(p))
            .Select(p => p.Address.Cluster).Distinct().Count();

    private IReadOnlyList<LatticeAddress> Others => !TakesPart ? [] : Shelter is { } shelter ? [.. others(), shelter] : others();

    private bool MayVisit(LatticeAddress address) => address.Silo is null && visitors().Contains(address.Cluster);
}
