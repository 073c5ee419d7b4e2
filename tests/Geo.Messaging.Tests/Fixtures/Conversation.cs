using System.Diagnostics;
using System.Text;

namespace Geo.Messaging.Tests;

/// <summary>What a peer may say on one connection, in wire form: a handshake and frames of every kind.</summary>
internal static class Conversation
{
    public const string Service = "geo.test";

    /// <summary>The payload of the large message that travels in pieces.</summary>
    private const int LargeBytes = 1000;

    /// <summary>The hello of a peer, for a link with one connection or, from version 2 on, a bulk lane beside it.</summary>
    public static byte[] HelloOf(
        string peer, long incarnation, int version, int maxMessageBytes, int lane = 0) => Handshake.Write(new Hello(
        new WireVersions(1, version), new PeerIdentity(new PeerId(peer), default, peer, incarnation), default, Link: 1,
        new LanePlan([new("default", version >= WireVersions.WithBulkLanes ? 2 : 1)]), new LaneId("default", lane), maxMessageBytes,
        maxMessageBytes));

    /// <summary>What follows the welcome.</summary>
    public static byte[] Ready() => Frame(FrameKind.Ready, 0, []);

    /// <summary>A probe, which is answered at once.</summary>
    public static byte[] Ping() => Frame(FrameKind.Ping, 5, []);

    /// <summary>
    /// A frame of every kind that may follow the handshake, traced where the version allows it, and the farewell at the end.
    /// </summary>
    public static byte[] Frames(int version, int maxMessageBytes)
    {
        using var trace = Trace(version);
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
        return [.. Taken(queue), .. version >= WireVersions.WithBulkLanes ? Bulk() : [],
            .. Frame(FrameKind.Goodbye, 0, Encoding.UTF8.GetBytes("enough"))];
    }

    /// <summary>What is said on the bulk lane: the one piece of the large message.</summary>
    public static byte[] Piece()
    {
        var piece = new byte[BulkPiece.Size + LargeBytes];
        new BulkPiece(0, LargeBytes).Write(piece);
        return Frame(FrameKind.Piece, 1, piece);
    }

    /// <summary>Two messages in fragments that travel between each other, the second one traced where the version allows it.</summary>
    public static byte[] Fragments(int version, int maxMessageBytes)
    {
        using var trace = Trace(version);
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

    // A large message that comes on the bulk lane, a small one behind it, and what the two ends tell each other about such.
    private static byte[] Bulk()
    {
        var large = new byte[FrameHeader.Size + Service.Length];
        new FrameHeader(FrameKind.OneWay, 0, Service.Length, LargeBytes).Write(large);
        Encoding.UTF8.GetBytes(Service, large.AsSpan(FrameHeader.Size));
        var announcement = new byte[BulkAnnouncement.MaxBytes];
        var length = BulkAnnouncement.Write(announcement, after: 0, large);
        var small = new byte[FrameHeader.Size + Service.Length + 10];
        new FrameHeader(FrameKind.OneWay, 0, Service.Length, 10).Write(small);
        Encoding.UTF8.GetBytes(Service, small.AsSpan(FrameHeader.Size));
        return
        [
            .. Frame(FrameKind.Announce, 1, announcement[..length]),
            .. Frame(FrameKind.Follows, 1, small),
            .. Frame(FrameKind.Received, 0, []),
            .. Frame(FrameKind.Arrived, 1, []),
            .. Frame(FrameKind.OpenLanes, 1, []),
        ];
    }

    private static Activity? Trace(int version) =>
        version >= WireVersions.WithTraces ? new Activity("conversation").SetIdFormat(ActivityIdFormat.W3C).Start() : null;

    private static byte[] Frame(FrameKind kind, ulong number, byte[] payload)
    {
        var frame = new byte[FrameHeader.Size + payload.Length];
        new FrameHeader(kind, number, 0, payload.Length).Write(frame);
        payload.CopyTo(frame, FrameHeader.Size);
        return frame;
    }
}
