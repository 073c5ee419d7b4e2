using System.Collections.Concurrent;
using Geo.Messaging;

namespace Geo.Orleans;

/// <summary>Knows how long this silo has been without a link to each of the other clusters.</summary>
internal sealed class ClusterReach(TimeProvider time)
{
    private readonly ConcurrentDictionary<ClusterId, long> _downSince = new();

    /// <summary>Begins to watch the links of a node; a cluster that was never linked is down from now on.</summary>
    public void Watch(MessagingNode node, IEnumerable<ClusterId> clusters)
    {
        foreach (var cluster in clusters)
        {
            _downSince[cluster] = time.GetTimestamp();
        }

        node.MembersChanged += change =>
        {
            var cluster = change.Member.Cluster;
            if (change.IsUp)
            {
                _downSince.TryRemove(cluster, out _);
            }
            else if (!node.Members.Any(member => member.Cluster == cluster))
            {
                _downSince.TryAdd(cluster, time.GetTimestamp());
            }
        };
    }

    /// <summary>How long there has been no link; zero while there is one, or where links are not watched.</summary>
    public TimeSpan DownFor(ClusterId cluster) =>
        _downSince.TryGetValue(cluster, out var since) ? time.GetElapsedTime(since) : TimeSpan.Zero;
}
