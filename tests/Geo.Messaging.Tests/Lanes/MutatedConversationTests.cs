using System.Collections.Concurrent;
using System.Text;
using Geo.Testing.InMemory;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>
/// A node that is told something sound with one mutation in it, from the first byte of the handshake to the last frame: it serves what it
/// understands, tells the peer why it cuts it off, and serves the next.
/// </summary>
[Collection(ProcessWide.Name)]
public sealed class MutatedConversationTests
{
    private const int Rounds = 40_000;
    private const int AtOnce = 32;
    private const int MaxMessage = 200_000;

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
        var large = 0;
        using var served = node.Handle(Conversation.Service, (message, _) =>
        {
            Interlocked.Add(ref large, message.Payload.Length == Conversation.LargeBytes && !message.ExpectsReply ? 1 : 0);
            return new(message.Payload);
        });
        var outcomes = new ConcurrentDictionary<string, int>();
        node.LinkRefused += refusal => Count($"refused: {refusal.Reason}");
        node.MembersChanged += change => Count(change.IsUp || !string.IsNullOrEmpty(change.Reason) ? "told" : "down without a reason");
        await node.StartAsync(Net.Token);
        var speakers = Enumerable.Range(0, AtOnce).Select(seed => new Speaker(network, node.ListeningOn!, new Random(seed))).ToList();
        var before = GC.GetTotalAllocatedBytes();
        var next = 0;

        await Task.WhenAll(speakers.Select(speaker => Task.Run(async () =>
        {
            for (var round = Interlocked.Increment(ref next); round <= Rounds; round = Interlocked.Increment(ref next))
            {
                foreach (var heard in await speaker.SpeakAsync(round))
                {
                    Count(Outcome(heard));
                }
            }
        })));

        // Little for each, the speakers' own included, who copy large messages: buffers come from pools, and nothing is taken for what is
        // only announced beyond the limit.
        Assert.InRange((GC.GetTotalAllocatedBytes() - before) / Rounds, 0, 256 * 1024);
        await Eventually.HoldsAsync(() => node.Members.Count == 0, "all links have ended");
        var told = string.Join(", ", outcomes);
        foreach (var expected in new[] { "served", "told why", "refused", "cut off", "refused: Malformed", "refused: WireVersion",
            "refused: UnknownLink" })
        {
            Assert.True(outcomes.GetValueOrDefault(expected) > 0, $"{expected} in {told}");
        }

        Assert.False(outcomes.ContainsKey("down without a reason"), told);
        Assert.True(large > 0, "no large message came whole");

        await using var friend = network.CreateNode(new MessagingOptions { Peer = new PeerId("us/1") }, NullLoggerFactory.Instance);
        await friend.StartAsync(Net.Token);
        await Eventually.InTimeAsync(friend.JoinAsync(node.ListeningOn!, cancellationToken: Net.Token));
        var reply = await friend.RequestAsync(node.Peer, Conversation.Service, new byte[7], default, Net.Token);
        Assert.Equal(7, reply.Payload.Length);

        void Count(string what) => outcomes.AddOrUpdate(what, 1, (_, count) => count + 1);
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
        while (FrameHeader.TryRead(rest, MaxMessage, out var header, out var fault)
            && header.FrameBytes <= rest.Length)
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

    /// <summary>
    /// Says what is sound with one mutation, on one connection or on two, and hears what the node answers until it closes them.
    /// </summary>
    private sealed class Speaker(IWireTransport network, PeerAddress address, Random random)
    {
        private readonly byte[] _frames = Conversation.Frames();

        public async Task<IEnumerable<byte[]>> SpeakAsync(int round)
        {
            var peer = $"peer-{round}";
            byte[] opening = [.. Conversation.HelloOf(peer, round, MaxMessage), .. Conversation.Ready()];
            if (round % 4 != 3)
            {
                return [await SayAsync(MutatedOnce([.. opening, .. round % 50 < 2 ? Conversation.Piece() : [], .. _frames]))];
            }

            // The link first, so that its bulk lane is welcome.
            using var wire = await network.ConnectAsync(address, Net.Token);
            await wire.SendAsync([opening, Conversation.Ping()]);
            var heard = await ListenAsync(wire, until: FirstFrame);
            byte[] bulk =
                [.. Conversation.HelloOf(peer, round, MaxMessage, lane: 1), .. Conversation.Ready(), .. Conversation.Piece()];
            var inBulk = random.Next(2) == 0;
            var onBulk = SayAsync(inBulk ? MutatedOnce(bulk) : bulk);
            return [[.. heard, .. await SayAsync(wire, inBulk ? _frames : MutatedOnce(_frames))], await onBulk];
        }

        private async Task<byte[]> SayAsync(byte[] said)
        {
            using var wire = await network.ConnectAsync(address, Net.Token);
            return await SayAsync(wire, said);
        }

        private static async Task<byte[]> SayAsync(IWireConnection wire, byte[] said)
        {
            try
            {
                await wire.SendAsync([said]);
                wire.FinishSending();
            }
            catch (IOException)
            {
                // Closed while the rest was on its way.
            }

            return await ListenAsync(wire, until: _ => false);
        }

        private static async Task<byte[]> ListenAsync(IWireConnection wire, Func<List<byte>, bool> until)
        {
            List<byte> heard = [];
            var buffer = new byte[4096];
            try
            {
                while (!until(heard) && await Eventually.InTimeAsync(wire.ReceiveAsync(buffer).AsTask()) is > 0 and var received)
                {
                    heard.AddRange(buffer.AsSpan(0, received));
                }
            }
            catch (IOException)
            {
                // Closed at once.
            }

            return [.. heard];
        }

        // More than the answer to the hello: the link is up.
        private static bool FirstFrame(List<byte> heard) =>
            heard.Count >= Handshake.PreambleBytes && heard.Count > Handshake.PreambleBytes + Handshake.ReadPreamble(heard.ToArray());

        // Anywhere, but more often where the handshake and the first headers are than within payloads, where nothing can go wrong.
        private byte[] MutatedOnce(byte[] said)
        {
            var at = random.Next(8) switch
            {
                0 => 0,
                < 4 => random.Next(Math.Min(200, said.Length)),
                _ => random.Next(said.Length),
            };
            return [.. said[..at], .. Mutation.Once(said[at..], random)];
        }
    }
}
