using System.Text;

namespace Geo.Consistency.Lattices;

/// <summary>
/// Which clusters have replicas of which coordination-free grains, by rendezvous hashing of their parts over the configured clusters: a
/// change of these by one cluster changes at most one holder of each part (Anna section VII-A has a ring). Thread-safe.
/// </summary>
/// <param name="local">The local cluster.</param>
/// <param name="clusters">The clusters of the present configuration; the local one may be among them.</param>
internal sealed class LatticePlacement(ClusterId local, Func<IReadOnlyList<ClusterId>> clusters)
{
    private volatile Ranking? _ranking;

    /// <summary>True when the local cluster has replicas of a group's grains.</summary>
    internal bool IsHere(LatticeGroup group) => !group.IsPart || HoldersOf(group).Contains(local);

    /// <summary>The clusters that have replicas of a group's grains, those that are called first before the others.</summary>
    internal IReadOnlyList<ClusterId> HoldersOf(LatticeGroup group) =>
        group.IsPart ? new ArraySegment<ClusterId>(Ranked[group.Part], 0, Math.Min(group.Replicas, Ranked[group.Part].Length)) : clusters();

    /// <summary>
    /// The other clusters that have none by the present configuration, and may by an earlier one, with which some of their silos have
    /// started.
    /// </summary>
    internal IEnumerable<ClusterId> MayVisit(LatticeGroup group) =>
        group.IsPart ? Ranked[group.Part].Skip(group.Replicas).Where(cluster => cluster != local) : [];

    private ClusterId[][] Ranked
    {
        get
        {
            var present = clusters();
            var ranking = _ranking;
            if (ranking is null || !ranking.Clusters.SequenceEqual(present))
            {
                _ranking = ranking = new([.. present]);
            }

            return ranking.ByPart;
        }
    }

    private sealed class Ranking(ClusterId[] clusters)
    {
        internal ClusterId[] Clusters => clusters;

        internal ClusterId[][] ByPart { get; } = [.. Enumerable.Range(0, LatticeGroup.Parts).Select(part => clusters
            .OrderByDescending(cluster => StableHash.Hash128(Encoding.UTF8.GetBytes($"{cluster}\n{part}")).High)
            .ThenBy(cluster => cluster).ToArray())];
    }
}
