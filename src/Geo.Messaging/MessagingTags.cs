using System.Diagnostics;

namespace Geo.Messaging;

/// <summary>What the measurements of a node carry.</summary>
internal sealed class MessagingTags(PeerId local)
{
    public KeyValuePair<string, object?> Local { get; } = new("geo.peer", local.Name);

    public static KeyValuePair<string, object?> Remote(PeerId peer) => new("geo.remote", peer.Name);

    /// <summary>The cluster of a remote, which may have a namesake in another; the name of none is empty.</summary>
    public static KeyValuePair<string, object?> Of(ClusterId cluster) => new("geo.remote_cluster", cluster.Name);

    public static KeyValuePair<string, object?> Channel(LaneId lane) => new("geo.channel", lane.Channel);

    public static KeyValuePair<string, object?> Reason(string reason) => new("geo.reason", reason);

    public TagList Of(PeerIdentity remote) => [Local, Remote(remote.Peer), Of(remote.Cluster)];

    public TagList Of(PeerIdentity remote, LaneId lane) =>
        [Local, Remote(remote.Peer), Of(remote.Cluster), Channel(lane), new("geo.lane", lane.Number)];
}
