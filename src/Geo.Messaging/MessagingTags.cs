using System.Diagnostics;

namespace Geo.Messaging;

/// <summary>What the measurements of a node carry.</summary>
internal sealed class MessagingTags(PeerId local)
{
    public KeyValuePair<string, object?> Local { get; } = new("geo.peer", local.Name);

    public static KeyValuePair<string, object?> Remote(PeerId peer) => new("geo.remote", peer.Name);

    public static KeyValuePair<string, object?> Channel(LaneId lane) => new("geo.channel", lane.Channel);

    public static KeyValuePair<string, object?> Reason(string reason) => new("geo.reason", reason);

    public TagList Of(PeerId remote, LaneId lane) => [Local, Remote(remote), Channel(lane), new("geo.lane", lane.Number)];
}
