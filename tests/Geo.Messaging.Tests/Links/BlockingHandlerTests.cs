using System.Collections.Concurrent;

namespace Geo.Messaging.Tests;

/// <summary>A handler that blocks its thread holds up what waits behind it, and never the peer that comes back.</summary>
public sealed class BlockingHandlerTests : IAsyncDisposable
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(1.5);

    private readonly Net _net = new();
    private readonly FaultyTransport _wires = new();
    private readonly ManualResetEventSlim _gate = new();
    private readonly ConcurrentQueue<byte> _started = new();
    private int _blocked;

    public async ValueTask DisposeAsync()
    {
        _gate.Set();
        await _net.DisposeAsync();
        _gate.Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_peer_that_comes_back_is_served_while_a_handler_of_its_last_link_blocks(bool dialsItself)
    {
        var (blocks, calls) = await ConnectAsync(dialsItself);
        Assert.Equal(SendOutcome.Queued, calls.TrySend(blocks.Peer, "block", new byte[1]));
        await Eventually.HoldsAsync(() => Volatile.Read(ref _blocked) == 1, "the handler blocks");

        _wires.CutAll();

        var reply = await Eventually.SoonAsync(Soon, () => AskAsync(calls, blocks));
        Assert.Equal(ReplyOutcome.Replied, reply.Outcome);
        Assert.Equal(ReplyOutcome.Replied, (await blocks.RequestAsync(calls.Peer, "echo", new byte[1], default, Net.Token)).Outcome);
    }

    [Fact]
    public async Task What_waits_behind_a_handler_that_blocks_is_started_before_what_the_next_link_brings_or_never()
    {
        var (blocks, calls) = await ConnectAsync(dialsItself: true);
        calls.TrySend(blocks.Peer, "block", new byte[1]);
        for (byte number = 1; number <= 100; number++)
        {
            calls.TrySend(blocks.Peer, "note", new[] { number });
        }

        await Eventually.HoldsAsync(() => Volatile.Read(ref _blocked) == 1, "the handler blocks");
        _wires.CutAll();
        await Eventually.SoonAsync(Soon, () => AskAsync(calls, blocks));
        for (byte number = 101; number <= 200; number++)
        {
            calls.TrySend(blocks.Peer, "note", new[] { number });
        }

        _gate.Set();
        await Eventually.HoldsAsync(() => _started.Contains((byte)200), "the last one is started");
        Assert.Equal(_started.Order(), _started);
    }

    [Fact]
    public async Task Handlers_of_links_that_have_ended_count_for_their_peer()
    {
        const int Limit = 3;
        var (blocks, calls) = await ConnectAsync(dialsItself: true, options => options with { MaxRunningHandlers = Limit });
        for (var link = 1; link <= Limit; link++)
        {
            await Eventually.SoonAsync(Soon, async () =>
            {
                calls.TrySend(blocks.Peer, "block", new byte[1]);
                await Task.Delay(5, Net.Token);
                return Volatile.Read(ref _blocked) == link ? ClusterReply.Replied(default) : ClusterReply.Unknown("not yet");
            });
            var ended = calls.Links;
            _wires.CutAll();
            await Eventually.HoldsAsync(() => !calls.Links.Intersect(ended).Any(), "the link has ended");
        }

        var reply = await Eventually.SoonAsync(Soon, () => AskAsync(calls, blocks), ReplyOutcome.Refused, "runs 3 handlers");
        Assert.Contains("runs 3 handlers", reply.Reason, StringComparison.Ordinal);
    }

    private static async Task<ClusterReply> AskAsync(MessagingNode from, MessagingNode to) =>
        await from.RequestAsync(to.Peer, "echo", new byte[1], new MessageOptions(Timeout: Soon), Net.Token);

    // The node whose handler blocks, and the one that calls it.
    private async Task<(MessagingNode Blocks, MessagingNode Calls)> ConnectAsync(
        bool dialsItself, Func<MessagingOptions, MessagingOptions>? change = null)
    {
        var (dialler, listener) = await _net.PairAsync(change, _wires);
        var (blocks, calls) = dialsItself ? (listener, dialler) : (dialler, listener);
        blocks.Handle("block", (_, _) =>
        {
            Interlocked.Increment(ref _blocked);
            _gate.Wait(CancellationToken.None);
            return default;
        });
        blocks.Handle("note", (message, _) =>
        {
            _started.Enqueue(message.Payload.Span[0]);
            return default;
        });
        blocks.Handle("echo", (message, _) => new(message.Payload));
        calls.Handle("echo", (message, _) => new(message.Payload));
        return (blocks, calls);
    }
}
