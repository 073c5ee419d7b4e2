using System.Collections.Concurrent;
using System.Text;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>
/// A node that is told something sound with one mutation in it, from the first byte of the handshake to the last frame: it serves what it
/// understands, tells the peer why it cuts it off, and serves the next.
/// </summary>
[Collection(ProcessWide.Name)]
public sealed class MutatedConversationTests
{
    private const int Rounds = 20_000;
    private const int AtOnce = 32;
    private const int MaxMessage = 4096;

    [Fact]
    public async Task A_node_survives_conversations_with_one_mutation_each_and_says_why_it_ends_them()
    {
        var network = new InMemoryNetwork(TimeProvider.System);
        await using var node = network.CreateNode(
            new MessagingOptions
            {
                Peer = new PeerId("eu/1"),
                ListenOn = PeerAddress.Loopback(),
                MaxMessageBytes = MaxMessage,
                ReceiveBufferBytes = 4096,
                HandshakeTimeout = TimeSpan.FromMilliseconds(200),
            },
            NullLoggerFactory.Instance);
        using var served = node.Handle(Conversation.Service, (message, _) => new(message.Payload));
        var reasons = new ConcurrentDictionary<string, int>();
        node.LinkRefused += refusal => Count($"refused: {refusal.Reason}");
        node.MembersChanged += change =>
        {
            if (!change.IsUp)
            {
                Assert.False(string.IsNullOrEmpty(change.Reason));
            }
        };
        await node.StartAsync(Net.Token);
        byte[][] frames = [Conversation.Frames(1, MaxMessage), Conversation.Frames(2, MaxMessage)];
        var before = GC.GetTotalAllocatedBytes();
        var next = 0;

        await Task.WhenAll(Enumerable.Range(0, AtOnce).Select(speaker => Task.Run(async () =>
        {
            var random = new Random(speaker);
            for (var round = Interlocked.Increment(ref next); round <= Rounds; round = Interlocked.Increment(ref next))
            {
                var version = 1 + (round % 2);
                byte[] said =
                [
                    .. Conversation.HelloOf($"peer-{round}", round, new WireVersions(1, version), MaxMessage),
                    .. Ready(),
                    .. frames[version - 1],
                ];
                Count(Outcome(await SayAsync(network, node.ListeningOn!, MutatedOnce(said, random))));
            }
        })));

        // Little for each: buffers come from pools, and nothing is taken for what is only announced beyond the limit.
        Assert.InRange((GC.GetTotalAllocatedBytes() - before) / Rounds, 0, 96 * 1024);
        await Eventually.HoldsAsync(() => node.Members.Count == 0, "all links have ended");
        foreach (var expected in new[] { "served", "told why", "refused", "cut off", "refused: Malformed", "refused: WireVersion" })
        {
            Assert.True(reasons.GetValueOrDefault(expected) > 0, $"{expected} in {string.Join(", ", reasons)}");
        }

        await using var friend = network.CreateNode(new MessagingOptions { Peer = new PeerId("us/1") }, NullLoggerFactory.Instance);
        await friend.StartAsync(Net.Token);
        await Eventually.InTimeAsync(friend.JoinAsync(node.ListeningOn!, cancellationToken: Net.Token));
        var reply = await friend.RequestAsync(node.Peer, Conversation.Service, new byte[7], default, Net.Token);
        Assert.Equal(7, reply.Payload.Length);

        void Count(string what) => reasons.AddOrUpdate(what, 1, (_, count) => count + 1);
    }

    private static byte[] Ready()
    {
        var frame = new byte[FrameHeader.Size];
        new FrameHeader(FrameKind.Ready, 0, 0, 0).Write(frame);
        return frame;
    }

    // Anywhere, but not only within long payloads, where nothing can go wrong.
    private static byte[] MutatedOnce(byte[] said, Random random)
    {
        var at = random.Next(2) == 0 ? random.Next(Math.Min(120, said.Length)) : random.Next(said.Length);
        return [.. said[..at], .. Mutation.Once(said[at..], random)];
    }

    // Says all of it and listens until the node closes the connection.
    private static async Task<byte[]> SayAsync(IWireTransport network, PeerAddress address, byte[] said)
    {
        using var wire = await network.ConnectAsync(address, Net.Token);
        List<byte> heard = [];
        var buffer = new byte[4096];
        try
        {
            await wire.SendAsync([said]);
            wire.FinishSending();
            while (await Eventually.InTimeAsync(wire.ReceiveAsync(buffer).AsTask()) is > 0 and var received)
            {
                heard.AddRange(buffer.AsSpan(0, received));
            }
        }
        catch (IOException)
        {
            // Closed while the rest was on its way.
        }

        return [.. heard];
    }

    private static string Outcome(byte[] heard)
    {
        if (heard.Length == 0)
        {
            return "cut off";
        }

        var body = Handshake.ReadPreamble(heard);
        if (Handshake.ReadAnswer(heard.AsSpan(Handshake.PreambleBytes, body)) is Refusal refusal)
        {
            Assert.NotEmpty(refusal.Message);
            return "refused";
        }

        var rest = heard.AsSpan(Handshake.PreambleBytes + body);
        while (FrameHeader.TryRead(rest, MaxMessage, WireVersions.Latest, out var header, out var fault) && header.FrameBytes <= rest.Length)
        {
            if (header.Kind == FrameKind.Goodbye)
            {
                Assert.NotEmpty(Encoding.UTF8.GetString(rest[header.PayloadOffset..header.FrameBytes]));
                return "told why";
            }

            rest = rest[header.FrameBytes..];
        }

        return "served";
    }
}
