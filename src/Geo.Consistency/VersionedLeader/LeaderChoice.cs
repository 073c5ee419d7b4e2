using System.Text;

namespace Geo.Consistency;

/// <summary>
/// Which cluster is to lead a grain where nobody does: the one the programmer named, else by rendezvous hash, so that a change of the
/// clusters moves only the grains whose leader left, or whose leader is a cluster that joined (GEO section 3.5, "consistent hash").
/// </summary>
internal static class LeaderChoice
{
    /// <summary>The first of <see cref="Order"/>.</summary>
    internal static ClusterId Of(GrainKey grain, ClusterId named, IReadOnlyList<ClusterId> clusters) =>
        !named.IsNone && clusters.Contains(named) ? named : Order(grain, named, clusters)[0];

    /// <summary>The clusters, in the order in which they are to lead.</summary>
    internal static IReadOnlyList<ClusterId> Order(GrainKey grain, ClusterId named, IEnumerable<ClusterId> clusters) =>
        [.. clusters.OrderByDescending(c => c == named).ThenByDescending(c => Weight(grain, c)).ThenBy(c => c)];

    private static ulong Weight(GrainKey grain, ClusterId cluster) =>
        StableHash.Hash128(Encoding.UTF8.GetBytes($"{cluster}\n{grain}")).High;
}
