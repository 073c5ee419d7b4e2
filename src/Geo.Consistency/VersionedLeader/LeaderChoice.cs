using System.Text;

namespace Geo.Consistency;

/// <summary>
/// Which cluster holds the leader of a grain: the one the programmer named, else by rendezvous hash, so that a change of the
/// clusters moves only the grains whose leader left, or whose leader is a cluster that joined (GEO section 3.5, "consistent hash").
/// </summary>
internal static class LeaderChoice
{
    internal static ClusterId Of(GrainKey grain, ClusterId named, ClusterId local, IReadOnlyList<ClusterId> others)
    {
        if (!named.IsNone)
        {
            return named;
        }

        var (leader, best) = (local, Weight(grain, local));
        foreach (var other in others)
        {
            var weight = Weight(grain, other);
            if (weight > best || (weight == best && other < leader))
            {
                (leader, best) = (other, weight);
            }
        }

        return leader;
    }

    private static ulong Weight(GrainKey grain, ClusterId cluster) =>
        StableHash.Hash128(Encoding.UTF8.GetBytes($"{cluster}\n{grain}")).High;
}
