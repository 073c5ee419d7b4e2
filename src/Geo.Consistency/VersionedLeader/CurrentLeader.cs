namespace Geo.Consistency;

/// <summary>The leader's cluster under the present configuration; chosen anew only when the configuration is another one.</summary>
internal sealed class CurrentLeader(GrainKey grain, ClusterId named, IReplicaLink link)
{
    private IReadOnlyList<ClusterId>? _chosenFrom;
    private ClusterId _cluster;

    internal ClusterId Cluster
    {
        get
        {
            var others = link.Others;
            if (!ReferenceEquals(others, _chosenFrom))
            {
                _cluster = LeaderChoice.Of(grain, named, link.Local, others);
                _chosenFrom = others;
            }

            return _cluster;
        }
    }
}
