using System.Diagnostics;
using System.Text;

namespace Geo.Messaging.Tests;

/// <summary>What a peer may say on one connection, in wire form: a handshake and frames of every kind.</summary>
internal static class Conversation
{
    public const string Service = "geo.test";

    /// <summary>The payload of the large message that travels in a piece.</summary>
    public const int LargeBytes = 66_000;

    /// <summary>The hello of a peer, for a link with one connection and a bulk lane beside it.</summary>
    public static byte[] HelloOf(string peer, long incarnation, int maxMessageBytes, int lane = 0) => Handshake.Write(new Hello(
        WireVersions.Current, new PeerIdentity(new PeerId(peer), default, peer, incarnation), default, Link: 1,
        new LanePlan([new("default", 2)]), new LaneId("default", lane), maxMessageBytes, 4 * maxMessageBytes));

    /// <summary>What follows the welcome.</summary>
    public static byte[] Ready() => Frame(FrameKind.Ready, 0, []);

    /// <summary>A probe, which is answered at once.</summary>
    public static byte[] Ping() => Frame(FrameKind.Ping, 5, []);

    /// <summary>A frame of every kind that may follow the handshake, but for pieces, and the farewell at the end.</summary>
    public static byte[] Frames()
    {
        using var trace = new Activity("conversation").SetIdFormat(ActivityIdFormat.W3C).Start();
        var queue = new OutboundQueue(new ChannelOptions(), 4096, TimeProvider.System, (_, _) => { });
        queue.TryAppend(FrameKind.OneWay, 0, Service, Encoding.UTF8.GetBytes("one"), default, out _, trace);
        queue.TryAppend(FrameKind.Request, 1, Service, new byte[200], default, out _, trace);
        queue.TryAppend(FrameKind.Request, 2, Service, default, default, out _);
        queue.TryAppend(FrameKind.Cancel, 1, "", default, default, out _);
        queue.TryAppend(FrameKind.Reply, 1, "", new byte[1500], default, out _);
        queue.TryAppend(FrameKind.Refused, 2, "", Encoding.UTF8.GetBytes("no"), default, out _);
        queue.TryAppend(FrameKind.NotServed, 4, "", Encoding.UTF8.GetBytes("nobody"), default, out _);
        queue.TryAppend(FrameKind.Failed, 3, "", Encoding.UTF8.GetBytes("failed"), default, out _);
        queue.TryAppend(FrameKind.Ping, 99, "", default, default, out _);
        queue.TryAppend(FrameKind.Pong, 98, "", default, default, out _);
        return [.. Taken(queue), .. Large(), .. Frame(FrameKind.Goodbye, 0, Encoding.UTF8.GetBytes("enough"))];
    }

    /// <summary>What is said on the bulk lane, or between the frames: the one piece of the large message.</summary>
    public static byte[] Piece()
    {
        var piece = new byte[PieceHeader.Size + LargeBytes];
        new PieceHeader(0, LargeBytes).Write(piece);
        return Frame(FrameKind.Piece, 1, piece);
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

    // A large message, a small one behind it, and what the two ends tell each other about such.
    private static byte[] Large()
    {
        var large = new byte[FrameHeader.Size + Service.Length];
        new FrameHeader(FrameKind.OneWay, 0, Service.Length, LargeBytes).Write(large);
        Encoding.UTF8.GetBytes(Service, large.AsSpan(FrameHeader.Size));
        var announcement = new byte[Announcement.MaxBytes];
        var length = Announcement.Write(announcement, after: 0, large);
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

    private static byte[] Frame(FrameKind kind, ulong number, byte[] payload)
    {
        var frame = new byte[FrameHeader.Size + payload.Length];
        new FrameHeader(kind, number, 0, payload.Length).Write(frame);
        payload.CopyTo(frame, FrameHeader.Size);
        return frame;
    }
}
