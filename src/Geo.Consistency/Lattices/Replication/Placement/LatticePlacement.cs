using System.Text;

namespace Geo.Consistency.Lattices;

/// <summary>
/// Which clusters have replicas of which coordination-free grains, by rendezvous hashing of their parts over the configured clusters: a
/// change of these by one cluster changes at most one holder of each part (Anna section VII-A has a ring). Thread-safe.
/// </summary>
internal sealed class LatticePlacement
{
    private readonly ClusterId _local;
    private readonly Func<IReadOnlyList<ClusterId>> _clusters;
    private readonly HashSet<ClusterId> _leaving;
    private volatile Ranking? _ranking;

    /// <param name="local">The local cluster.</param>
    /// <param name="clusters">The clusters of the present configuration; the local one may be among them.</param>
    /// <param name="leaving">Those of them that are to have no replicas any more (<see cref="LatticeOptions.LeavingClusters"/>).</param>
    /// <exception cref="GeoConfigurationException">All of them are to have none.</exception>
    internal LatticePlacement(ClusterId local, Func<IReadOnlyList<ClusterId>> clusters, IReadOnlyList<string>? leaving = null)
    {
        (_local, _clusters, _leaving) = (local, clusters, [.. (leaving ?? []).Select(name => new ClusterId(name))]);
        if (_leaving.Count > 0 && clusters().All(_leaving.Contains))
        {
            throw new GeoConfigurationException(
                $"{nameof(LatticeOptions)}:{nameof(LatticeOptions.LeavingClusters)} names all clusters of the configuration; one at least "
                + "must keep the replicas of coordination-free grains.");
        }
    }

    /// <summary>True when the local cluster is to have none any more.</summary>
    internal bool IsLeaving => _leaving.Contains(_local);

    /// <summary>True when the local cluster has replicas of a group's grains.</summary>
    internal bool IsHere(LatticeGroup group) => !group.IsPart || Holders(group).AsSpan().Contains(_local);

    /// <summary>The clusters that have replicas of a group's grains, those that are called first before the others.</summary>
    internal IReadOnlyList<ClusterId> HoldersOf(LatticeGroup group) => group.IsPart ? Holders(group) : _clusters();

    /// <summary>
    /// The other clusters that have none by the present configuration, and may by an earlier one, with which some of their silos have
    /// started; those that would be next before the others.
    /// </summary>
    internal IEnumerable<ClusterId> MayVisit(LatticeGroup group)
    {
        if (!group.IsPart)
        {
            return [];
        }

        var ranking = Present;
        return ranking.ByPart[group.Part].Skip(group.Replicas).Concat(ranking.Leaving).Where(cluster => cluster != _local);
    }

    private ArraySegment<ClusterId> Holders(LatticeGroup group)
    {
        var ranked = Present.ByPart[group.Part];
        return new(ranked, 0, Math.Min(group.Replicas, ranked.Length));
    }

    private Ranking Present
    {
        get
        {
            var present = _clusters();
            var ranking = _ranking;
            if (ranking is null || !ranking.Clusters.SequenceEqual(present))
            {
                _ranking = ranking = new([.. present], _leaving);
            }

            return ranking;
        }
    }

    private sealed class Ranking(ClusterId[] clusters, HashSet<ClusterId> leaving)
    {
        internal ClusterId[] Clusters => clusters;

        internal ClusterId[] Leaving { get; } = [.. clusters.Where(leaving.Contains)];

        internal ClusterId[][] ByPart { get; } = [.. Enumerable.Range(0, LatticeGroup.Parts).Select(part => clusters
            .Where(cluster => !leaving.Contains(cluster))
            .OrderByDescending(cluster => StableHash.Hash128(Encoding.UTF8.GetBytes($"{cluster}\n{part}")).High)
            .ThenBy(cluster => cluster).ToArray())];
    }
}
