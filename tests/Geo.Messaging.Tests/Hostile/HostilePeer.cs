using System.Text;

namespace Geo.Messaging.Tests;

/// <summary>A peer that says on a connection of its own whatever the test makes it say, and reads only what it is told to.</summary>
internal sealed class HostilePeer(IWireConnection wire) : IDisposable
{
    private static readonly LanePlan Plan = new([new("default", 1)]);

    /// <summary>Connects to a node and says hello.</summary>
    public static async Task<HostilePeer> ConnectAsync(
        IWireTransport network, MessagingNode node, string name, LanePlan? plan = null, int lane = 0, ulong link = 1, long start = 1)
    {
        plan ??= Plan;
        var peer = new HostilePeer(await network.ConnectAsync(node.ListeningOn!, Net.Token));
        var identity = new PeerIdentity(new PeerId(name), default, name, start);
        await peer.SayAsync(Handshake.Write(
            new Hello(WireVersions.Current, identity, default, link, plan, plan.Lanes[lane], int.MaxValue, int.MaxValue)));
        return peer;
    }

    /// <summary>Opens a link.</summary>
    public static async Task<HostilePeer> JoinAsync(IWireTransport network, MessagingNode node, string name)
    {
        var peer = await ConnectAsync(network, node, name);
        await peer.OpenAsync();
        await Eventually.HoldsAsync(() => node.Members.Any(member => member.Peer.Name == name), $"{name} is connected");
        return peer;
    }

    /// <summary>Opens a link of many lanes.</summary>
    public static async Task<HostilePeer[]> JoinAsync(IWireTransport network, MessagingNode node, string name, int lanes)
    {
        var plan = new LanePlan([new("default", lanes, ByKey: true)]);
        var peers = new HostilePeer[lanes];
        for (var lane = 0; lane < lanes; lane++)
        {
            peers[lane] = await ConnectAsync(network, node, name, plan, lane);
            await peers[lane].OpenAsync();
        }

        await Eventually.HoldsAsync(() => node.Members.Any(member => member.Peer.Name == name), $"{name} is connected");
        return peers;
    }

    /// <summary>Is welcome, and takes the connection into use.</summary>
    public async Task OpenAsync()
    {
        Assert.IsType<Welcome>(await AnswerAsync());
        await SayAsync(Frame(FrameKind.Ready, 0, []));
    }

    public static byte[] Frame(FrameKind kind, ulong number, byte[] payload)
    {
        var frame = new byte[FrameHeader.Size + payload.Length];
        new FrameHeader(kind, number, 0, payload.Length).Write(frame);
        payload.CopyTo(frame, FrameHeader.Size);
        return frame;
    }

    /// <summary>A one-way message.</summary>
    public static byte[] OneWay(string service, int bytes) => Message(FrameKind.OneWay, 0, service, bytes);

    /// <summary>A small message.</summary>
    public static byte[] Message(FrameKind kind, ulong number, string service, int bytes)
    {
        var frame = new byte[FrameHeader.Size + service.Length + bytes];
        new FrameHeader(kind, number, service.Length, bytes).Write(frame);
        Encoding.UTF8.GetBytes(service, frame.AsSpan(FrameHeader.Size));
        return frame;
    }

    /// <summary>The announcement of a one-way message for the service <c>echo</c>.</summary>
    public static byte[] Announcement(ulong number, int bytes)
    {
        var start = OneWay("echo", 0);
        new FrameHeader(FrameKind.OneWay, 0, 4, bytes).Write(start);
        var announcement = new byte[Geo.Messaging.Announcement.MaxBytes];
        return Frame(FrameKind.Announce, number, announcement[..Geo.Messaging.Announcement.Write(announcement, after: 0, start)]);
    }

    /// <summary>The last piece of a message, of one byte.</summary>
    public static byte[] LastByteOf(ulong number, int pieces)
    {
        var piece = new byte[PieceHeader.Size + 1];
        new PieceHeader((pieces - 1) * PieceHeader.UnitBytes, ((pieces - 1) * PieceHeader.UnitBytes) + 1).Write(piece);
        return Frame(FrameKind.Piece, number, piece);
    }

    public async Task<HandshakeAnswer> AnswerAsync() => await Eventually.InTimeAsync(HandshakeStream.ReadAnswerAsync(wire).AsTask());

    public ValueTask SayAsync(params byte[][] said) => wire.SendAsync([.. said.Select(bytes => new ArraySegment<byte>(bytes))]);

    /// <summary>Says the same over and over, until it is cut off.</summary>
    /// <returns>False when it was not cut off after so many times.</returns>
    public async Task<bool> SayUntilCutOffAsync(byte[] said, int most)
    {
        try
        {
            for (var times = 0; times < most; times++)
            {
                await SayAsync(said);
            }
        }
        catch (IOException)
        {
            return true;
        }

        return false;
    }

    /// <summary>Reads until the end; true when it comes.</summary>
    public async Task<bool> IsClosedAsync()
    {
        var rest = new byte[4096];
        try
        {
            while (await Eventually.InTimeAsync(wire.ReceiveAsync(rest).AsTask()) > 0)
            {
            }
        }
        catch (IOException)
        {
            // Closed at once.
        }

        return true;
    }

    /// <summary>Says something until it cannot be said any more; true when that comes.</summary>
    public Task<bool> IsCutOffAsync() => SayUntilCutOffAsync(new byte[1024], 100_000);

    public void Dispose() => wire.Dispose();
}
