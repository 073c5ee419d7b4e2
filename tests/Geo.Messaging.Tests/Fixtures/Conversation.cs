using System.Diagnostics;
using System.Text;

namespace Geo.Messaging.Tests;

/// <summary>What a peer may say on one connection, in wire form: a handshake and frames of every kind.</summary>
internal static class Conversation
{
    public const string Service = "geo.test";

    /// <summary>The hello of a peer that opens a link of one connection.</summary>
    public static byte[] HelloOf(string peer, long incarnation, WireVersions versions, int maxMessageBytes) => Handshake.Write(new Hello(
        versions, new PeerIdentity(new PeerId(peer), default, peer, incarnation), default, 1, new LanePlan([new("default", 1)]), new LaneId("default", 0), maxMessageBytes));

    /// <summary>A frame of every kind that may follow the handshake, traced where the version allows it, and the farewell at the end.</summary>
    public static byte[] Frames(int version, int maxMessageBytes)
    {
        using var trace = version >= WireVersions.WithTraces ? new Activity("conversation").SetIdFormat(ActivityIdFormat.W3C).Start() : null;
        var queue = new OutboundQueue(new ChannelOptions(), maxMessageBytes, TimeProvider.System, (_, _) => { });
        queue.TryAppend(FrameKind.OneWay, 0, Service, Encoding.UTF8.GetBytes("one"), default, out _, trace);
        queue.TryAppend(FrameKind.Request, 1, Service, new byte[200], default, out _, trace);
        queue.TryAppend(FrameKind.Request, 2, Service, default, default, out _);
        queue.TryAppend(FrameKind.Cancel, 1, "", default, default, out _);
        queue.TryAppend(FrameKind.Reply, 1, "", new byte[1500], default, out _);
        queue.TryAppend(FrameKind.Refused, 2, "", Encoding.UTF8.GetBytes("no"), default, out _);
        queue.TryAppend(FrameKind.Failed, 3, "", Encoding.UTF8.GetBytes("failed"), default, out _);
        queue.TryAppend(FrameKind.Ping, 99, "", default, default, out _);
        queue.TryAppend(FrameKind.Pong, 98, "", default, default, out _);
        return [.. Taken(queue), .. Farewell()];
    }

    /// <summary>Two messages in fragments that travel between each other, the second one traced where the version allows it.</summary>
    public static byte[] Fragments(int version, int maxMessageBytes)
    {
        using var trace = version >= WireVersions.WithTraces ? new Activity("conversation").SetIdFormat(ActivityIdFormat.W3C).Start() : null;
        var queue = new OutboundQueue(new ChannelOptions(), maxMessageBytes, TimeProvider.System, (_, _) => { });
        queue.TryAppend(FrameKind.OneWay, 0, Service, new byte[70_000], PartitionKey.From(1), out _);
        queue.TryAppend(FrameKind.Request, 1, Service, new byte[100_000], PartitionKey.From(2), out _, trace);
        return Taken(queue);
    }

    private static byte[] Taken(OutboundQueue queue)
    {
        List<byte> bytes = [];
        List<ArraySegment<byte>> batch = [];
        while (queue.TryTake(batch))
        {
            batch.ForEach(segment => bytes.AddRange(segment));
            queue.Release();
        }

        return [.. bytes];
    }

    private static byte[] Farewell()
    {
        var reason = Encoding.UTF8.GetBytes("enough");
        var frame = new byte[FrameHeader.Size + reason.Length];
        new FrameHeader(FrameKind.Goodbye, 0, 0, reason.Length).Write(frame);
        reason.CopyTo(frame, FrameHeader.Size);
        return frame;
    }
}
