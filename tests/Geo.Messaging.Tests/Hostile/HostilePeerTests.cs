using System.Collections.Concurrent;
using Geo.Testing.InMemory;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>What one peer can do to a node and to its other peers: it is cut off, or refused, for a reason, and they are served.</summary>
[Collection(ProcessWide.Name)]
public sealed class HostilePeerTests : IAsyncDisposable
{
    private const int MaxMessage = 8 * 1024 * 1024;
    private const int MaxLarge = 4 * MaxMessage;

    private readonly InMemoryNetwork _network = new(TimeProvider.System) { WindowBytes = 16 * 1024 };
    private readonly List<MessagingNode> _nodes = [];
    private readonly ConcurrentQueue<string> _reasons = new();

    public async ValueTask DisposeAsync()
    {
        foreach (var node in _nodes)
        {
            await node.DisposeAsync();
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Who_does_not_read_the_answers_that_it_asks_for_is_cut_off_with_the_reason(bool toLargeMessages)
    {
        var node = await ServeAsync();
        using var hostile = await HostilePeer.JoinAsync(_network, node, "hostile");
        var before = GC.GetTotalMemory(forceFullCollection: true);

        // 16 MiB of probes, or messages that are acknowledged.
        byte[] probes = [.. Enumerable.Repeat(HostilePeer.Frame(FrameKind.Ping, 1, []), 1000).SelectMany(frame => frame)];
        var cutOff = toLargeMessages ? await AcknowledgedWithoutEndAsync(hostile) : await hostile.SayUntilCutOffAsync(probes, 1000);

        Assert.True(cutOff, "it was not cut off");
        await HasSaidAsync("does not read what it is answered");
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 16 * 1024 * 1024);
        await AssertServesAsync(node);
    }

    [Fact]
    public async Task Messages_that_are_announced_and_begun_but_never_sent_take_no_more_memory_than_the_node_allows()
    {
        var node = await ServeAsync();
        using var hostile = await HostilePeer.JoinAsync(_network, node, "hostile");
        var before = GC.GetTotalMemory(forceFullCollection: true);

        // As much as it was told that it may, but of each message only the last byte.
        for (ulong number = 1; number <= 15; number++)
        {
            await hostile.SayAsync(HostilePeer.LastByteOf(number, MaxMessage / PieceHeader.MaxBytes));
        }

        await AssertServesAsync(node, 1_000_000);
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, MaxLarge);
    }

    [Fact]
    public async Task A_frame_larger_than_frames_are_takes_no_memory_and_ends_its_link()
    {
        var node = await ServeAsync();
        using var hostile = await HostilePeer.JoinAsync(_network, node, "hostile");
        var header = new byte[FrameHeader.Size];
        new FrameHeader(FrameKind.Reply, 1, 0, MaxMessage).Write(header);
        var before = GC.GetTotalAllocatedBytes();

        await hostile.SayAsync(header);

        await HasSaidAsync("does not come in pieces");
        Assert.InRange(GC.GetTotalAllocatedBytes() - before, 0, 4 * 1024 * 1024);
    }

    [Fact]
    public async Task Connections_that_are_never_opened_keep_nobody_out()
    {
        var node = await ServeAsync(options => options with
        {
            MaxOpeningConnections = 64,
            MaxConnections = 64,
            HandshakeTimeout = TimeSpan.FromMinutes(1),
        });
        List<HostilePeer> slow = [];
        for (var i = 0; i < 256; i++)
        {
            slow.Add(i % 2 == 0
                ? new HostilePeer(await ((IWireTransport)_network).ConnectAsync(node.ListeningOn!, Net.Token))
                : await HostilePeer.ConnectAsync(_network, node, $"slow-{i}", new LanePlan([new("default", 60, ByKey: true)])));
        }

        await AssertServesAsync(node);
        Assert.True(await slow[0].IsClosedAsync(), "the oldest has given way");

        slow.ForEach(peer => peer.Dispose());
    }

    [Fact]
    public async Task A_name_is_held_by_nobody_whose_link_is_not_open()
    {
        var node = await ServeAsync();
        var plan = new LanePlan([new("default", 200, ByKey: true)]);
        using var slow = await HostilePeer.ConnectAsync(_network, node, "us/1", plan);
        Assert.IsType<Welcome>(await slow.AnswerAsync());
        await slow.SayAsync(HostilePeer.Frame(FrameKind.Ready, 0, []));

        await AssertServesAsync(node);
    }

    [Fact]
    public async Task Who_speaks_something_else_and_never_hangs_up_is_cut_off_in_time()
    {
        var time = new ManualTime();
        var network = new InMemoryNetwork(time);
        var node = await StartAsync(network, "eu/1", options => options with { ListenOn = PeerAddress.Loopback() });
        var refusal = Refusals.Next(node);
        using var browser = new HostilePeer(await ((IWireTransport)network).ConnectAsync(node.ListeningOn!, Net.Token));
        await browser.SayAsync("GET / HTTP/1.1\r\n\r\n"u8.ToArray());
        Assert.Equal(RefusalReason.Malformed, (await Eventually.InTimeAsync(refusal)).Reason);

        time.Advance(TimeSpan.FromSeconds(6));

        Assert.True(await browser.IsCutOffAsync());
    }

    [Fact]
    public async Task A_link_has_one_deadline_to_open_whatever_the_number_of_its_connections()
    {
        var time = new ManualTime();
        var network = new InMemoryNetwork(time);
        var node = await StartAsync(network, "eu/1", options => options with { ListenOn = PeerAddress.Loopback() });
        var plan = new LanePlan([new("default", 200, ByKey: true)]);
        using var slow = await HostilePeer.ConnectAsync(network, node, "us/1", plan);
        Assert.IsType<Welcome>(await slow.AnswerAsync());
        await slow.SayAsync(HostilePeer.Frame(FrameKind.Ready, 0, []));

        time.Advance(TimeSpan.FromSeconds(3));
        using var second = await HostilePeer.ConnectAsync(network, node, "us/1", plan, lane: 1);
        Assert.IsType<Welcome>(await second.AnswerAsync());
        time.Advance(TimeSpan.FromSeconds(3));

        Assert.True(await slow.IsClosedAsync());
    }

    private static async Task<bool> AcknowledgedWithoutEndAsync(HostilePeer hostile)
    {
        // Each message is of one piece, announced, whole and so answered twice.
        const int Total = 66_000;
        var piece = new byte[PieceHeader.Size + Total];
        new PieceHeader(0, Total).Write(piece);
        for (ulong number = 1; number <= 20_000; number++)
        {
            byte[] said =
            [
                .. HostilePeer.Announcement(number, Total),
                .. HostilePeer.Frame(FrameKind.Piece, number, piece),
            ];
            if (await hostile.SayUntilCutOffAsync(said, 1))
            {
                return true;
            }
        }

        return false;
    }

    private Task<MessagingNode> ServeAsync(Func<MessagingOptions, MessagingOptions>? change = null) =>
        StartAsync(_network, "eu/1", options => (change ?? (o => o))(options with { ListenOn = PeerAddress.Loopback() }));

    private async Task<MessagingNode> StartAsync(
        InMemoryNetwork network, string peer, Func<MessagingOptions, MessagingOptions>? change = null)
    {
        var options = new MessagingOptions
        {
            Peer = new PeerId(peer),
            MaxMessageBytes = MaxMessage,
            MaxLargeBytes = MaxLarge,
            MaxAnswerBytes = 64 * 1024,
        };
        var node = network.CreateNode((change ?? (o => o))(options), NullLoggerFactory.Instance);
        _nodes.Add(node);
        node.Handle("echo", (message, _) => new(message.Payload));
        node.MembersChanged += changed => _reasons.Enqueue(changed.Reason ?? "");
        await node.StartAsync(Net.Token);
        return node;
    }

    private Task HasSaidAsync(string reason) => Eventually.HoldsAsync(
        () => _reasons.Any(said => said.Contains(reason, StringComparison.Ordinal)), $"a link has ended because: {reason}");

    // Another peer is served while the hostile one is there.
    private async Task AssertServesAsync(MessagingNode node, int bytes = 100)
    {
        var honest = await StartAsync(_network, "us/1");
        await Eventually.InTimeAsync(honest.JoinAsync(node.ListeningOn!, cancellationToken: Net.Token));
        var reply = await Eventually.InTimeAsync(honest.RequestAsync(node.Peer, "echo", new byte[bytes], default, Net.Token).AsTask());
        Assert.True(reply.Outcome == ReplyOutcome.Replied && reply.Payload.Length == bytes, reply.Reason);
    }
}
