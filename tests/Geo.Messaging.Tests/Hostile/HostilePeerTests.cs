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

    // What handlers wait for that take their time.
    private readonly TaskCompletionSource _let = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public async ValueTask DisposeAsync()
    {
        _let.SetResult();
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
            await hostile.SayAsync(HostilePeer.LastByteOf(number, MaxMessage / PieceHeader.UnitBytes));
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
    public async Task Replies_that_nobody_reads_take_no_more_memory_than_the_node_allows_on_however_many_lanes()
    {
        const int Lanes = 8;
        var node = await ServeAsync(options => options with { MaxReplyBytes = 2 * (MaxMessage + FrameHeader.Size) });
        var hostile = await HostilePeer.JoinAsync(_network, node, "hostile", Lanes);
        var before = GC.GetTotalMemory(forceFullCollection: true);

        // 10 MB on each.
        await Eventually.InTimeAsync(Task.WhenAll(hostile.Select(async lane =>
        {
            for (ulong number = 1; number <= 170; number++)
            {
                await lane.SayAsync(HostilePeer.Message(FrameKind.Request, number, "echo", 60_000));
            }
        })));

        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 3 * MaxMessage);
        await AssertServesAsync(node);
        Array.ForEach(hostile, lane => lane.Dispose());
    }

    [Theory]
    [InlineData(170, true)]
    [InlineData(20, false)]
    public async Task Who_sends_and_never_reads_is_cut_off_once_there_is_no_room_for_more_replies(int requests, bool isCutOff)
    {
        var time = new ManualTime();
        var network = new InMemoryNetwork(time) { WindowBytes = 16 * 1024 };
        var node = await StartAsync(
            network, "eu/1",
            options => options with { ListenOn = PeerAddress.Loopback(), MaxReplyBytes = 2 * (MaxMessage + FrameHeader.Size) });
        using var hostile = await HostilePeer.JoinAsync(network, node, "hostile");
        for (var number = 1; number <= requests; number++)
        {
            await hostile.SayAsync(HostilePeer.Message(FrameKind.Request, (ulong)number, "echo", 60_000));
        }

        var lane = Assert.Single(Assert.Single(node.Links).Lanes);
        for (var seconds = 0; seconds < 200 && node.Links.Length > 0; seconds++)
        {
            await hostile.SayUntilCutOffAsync(HostilePeer.Frame(FrameKind.Ping, 1, []), 1);
            await Eventually.HoldsAsync(() => lane.Silence == TimeSpan.Zero || !lane.IsOpen, "it is heard");
            time.Advance(TimeSpan.FromSeconds(1));
        }

        if (!isCutOff)
        {
            Assert.Single(node.Links);
            return;
        }

        await HasSaidAsync("reads less than");
        Assert.True(await hostile.IsCutOffAsync());
    }

    [Fact]
    public async Task Small_messages_whose_handlers_take_their_time_take_no_more_memory_than_the_node_allows()
    {
        const int Bytes = 60_000;
        var node = await ServeAsync(options => options with { MaxSmallBytes = MaxMessage });
        var started = 0;
        node.Handle("slow", async (_, _) =>
        {
            Interlocked.Increment(ref started);
            await _let.Task;
            return default;
        });
        using var hostile = await HostilePeer.JoinAsync(_network, node, "hostile");
        for (var messages = 0; messages < 1000; messages++)
        {
            await hostile.SayAsync(HostilePeer.OneWay("slow", Bytes));
        }

        await AssertServesAsync(node);
        Assert.InRange(Volatile.Read(ref started), 1, MaxMessage / Bytes);
    }

    [Fact]
    public async Task A_process_that_dials_again_is_let_in_where_a_handler_keeps_its_lost_link_from_being_noticed()
    {
        var time = new ManualTime();
        var network = new InMemoryNetwork(time);
        var node = await StartAsync(
            network, "eu/1", options => options with { ListenOn = PeerAddress.Loopback(), MaxUnstartedBytes = 1024 });
        var blocked = false;
        node.Handle("block", (_, _) =>
        {
            Volatile.Write(ref blocked, true);
            _let.Task.GetAwaiter().GetResult();
            return default;
        });
        using var lost = await HostilePeer.JoinAsync(network, node, "us/1");
        await lost.SayAsync([HostilePeer.OneWay("block", 1), .. Enumerable.Repeat(HostilePeer.OneWay("echo", 1000), 5)]);
        await Eventually.HoldsAsync(() => Volatile.Read(ref blocked), "the handler blocks");

        using var early = await HostilePeer.ConnectAsync(network, node, "us/1", link: 2);
        Assert.Equal(RefusalReason.AlreadyConnected, Assert.IsType<Refusal>(await early.AnswerAsync()).Reason);
        time.Advance(TimeSpan.FromSeconds(6));

        using var old = await HostilePeer.ConnectAsync(network, node, "us/1", link: 1);
        Assert.Equal(RefusalReason.AlreadyConnected, Assert.IsType<Refusal>(await old.AnswerAsync()).Reason);
        using var again = await HostilePeer.ConnectAsync(network, node, "us/1", link: 3);
        await again.OpenAsync();
        await Eventually.HoldsAsync(() => node.Links is [{ Context.Terms.Number: 3 }], "it is let in");
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
    public async Task A_peer_that_starts_anew_all_the_time_has_no_more_connections_than_it_may_and_leaves_none_counted()
    {
        var node = await ServeAsync(options => options with { MaxConnections = 8 });
        var plan = new LanePlan([new("default", 4, ByKey: true)]);
        List<HostilePeer> wires = [];
        for (var start = 1; start <= 50; start++)
        {
            for (var lane = 0; lane < 4; lane++)
            {
                wires.Add(await HostilePeer.ConnectAsync(_network, node, "us/1", plan, lane, start: start));
                await wires[^1].OpenAsync();
            }

            await Eventually.HoldsAsync(() => node.Links is [{ Remote.Incarnation: var now }] && now == start, "the new start is linked");
            foreach (var former in wires.SkipLast(4))
            {
                Assert.True(await former.IsClosedAsync());
                former.Dispose();
            }

            wires.RemoveRange(0, wires.Count - 4);
        }

        wires.ForEach(wire => wire.Dispose());
        await Eventually.HoldsAsync(() => node.Links is [], "it has gone");

        // Half of all: nothing else may be counted.
        var honest = await HostilePeer.JoinAsync(_network, node, "us/2", lanes: 4);
        Array.ForEach(honest, wire => wire.Dispose());
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
