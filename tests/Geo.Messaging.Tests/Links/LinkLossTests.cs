using System.Collections.Concurrent;
using System.Diagnostics;

namespace Geo.Messaging.Tests;

/// <summary>What becomes of a link that breaks, falls silent or stops draining, whatever its transport.</summary>
public abstract class LinkLossTests : IAsyncDisposable
{
    private readonly Net _net;
    private readonly FaultyTransport _wires;

    private protected LinkLossTests(Wires wires) => (_net, _wires) = (new Net(wires), new FaultyTransport(wires.Transport));

    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return _net.DisposeAsync();
    }

    [Fact]
    public async Task A_cut_link_ends_the_requests_in_flight_as_unknown_at_once_and_comes_back()
    {
        var (dialler, listener) = await _net.PairAsync(transport: _wires);
        var arrived = new TaskCompletionSource();
        using var slow = listener.Handle("slow", async (_, token) =>
        {
            arrived.SetResult();
            await Task.Delay(Timeout.Infinite, token);
            return default;
        });
        using var echo = listener.Handle("echo", (message, _) => new(message.Payload));
        var request = dialler.RequestAsync(
            listener.Peer, "slow", new byte[1], new MessageOptions(Timeout: TimeSpan.FromHours(1)), Net.Token).AsTask();
        await Eventually.InTimeAsync(arrived.Task);

        _wires.CutAll();

        var reply = await Eventually.InTimeAsync(request);
        Assert.Equal(ReplyOutcome.Unknown, reply.Outcome);
        Assert.Contains("broke while the request was in flight", reply.Reason, StringComparison.Ordinal);
        await Eventually.HoldsAsync(() => _wires.Connects >= 2, "the address is dialled again");
        await Net.ConnectedAsync(dialler, listener);
        Assert.Equal(ReplyOutcome.Replied, (await RetryAsync(dialler, listener)).Outcome);
    }

    [Fact]
    public async Task A_link_that_carries_nothing_any_more_is_found_dead_by_both_sides()
    {
        var (dialler, listener) = await _net.PairAsync(
            options => options with { HeartbeatInterval = TimeSpan.FromMilliseconds(50), DeadLinkAfter = TimeSpan.FromMilliseconds(500) },
            _wires);
        var reasons = new List<string?>();
        var bothDown = new CountdownEvent(2);
        foreach (var node in new[] { dialler, listener })
        {
            node.MembersChanged += change =>
            {
                if (!change.IsUp && reasons.Count < 2)
                {
                    lock (reasons)
                    {
                        reasons.Add(change.Reason);
                    }

                    bothDown.Signal();
                }
            };
        }

        _wires.RefusesToConnect = true;
        _wires.SilenceAll();

        await Eventually.HoldsAsync(() => bothDown.IsSet, "both sides find the link dead");
        Assert.Contains(reasons, reason => reason!.Contains("nothing was heard", StringComparison.Ordinal));
        Assert.Empty(dialler.Members);
    }

    [Fact]
    public async Task A_process_that_has_not_read_what_came_does_not_take_its_peers_for_dead()
    {
        // On a busy machine the link could be found dead before this test begins to leave it unread.
        _wires.SeemsUnread = true;

        // The listener, whose wires show what has come, keeps its patience: else it ends the link of a dialler that the machine holds up,
        // and the next link is read.
        var listener = await _net.ListenAsync("eu/1");
        var dialler = await _net.StartAsync(
            "us/1",
            options => options with { HeartbeatInterval = TimeSpan.FromMilliseconds(20), DeadLinkAfter = TimeSpan.FromMilliseconds(200) },
            _wires);
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(listener, dialler);
        var downs = 0;
        dialler.MembersChanged += change => Interlocked.Add(ref downs, change.IsUp ? 0 : 1);
        listener.MembersChanged += change => Interlocked.Add(ref downs, change.IsUp ? 0 : 1);

        _wires.LeaveUnread(true);
        await Eventually.HoldsAsync(() => _wires.Judged >= 20, "silence is judged");
        Assert.Equal(0, downs);

        _wires.RefusesToConnect = true;
        _wires.LeaveUnread(false);
        await Eventually.HoldsAsync(() => Volatile.Read(ref downs) == 2, "both sides find the link dead");
    }

    [Fact]
    public async Task An_idle_link_outlives_the_time_after_which_silence_means_death_three_times()
    {
        var downs = new ConcurrentQueue<(string? Reason, TimeSpan After)>();
        var (dialler, listener) = await _net.PairAsync(
            options => options with { HeartbeatInterval = TimeSpan.FromMilliseconds(20), DeadLinkAfter = TimeSpan.FromSeconds(3) },
            _wires);
        var since = Stopwatch.GetTimestamp();
        dialler.MembersChanged += change =>
        {
            if (!change.IsUp)
            {
                downs.Enqueue((change.Reason, Stopwatch.GetElapsedTime(since)));
            }
        };
        using var echo = listener.Handle("echo", (message, _) => new(message.Payload));

        await Task.Delay(TimeSpan.FromSeconds(10), Net.Token);

        Assert.Empty(downs);
        Assert.Equal(ReplyOutcome.Replied, (await dialler.RequestAsync(listener.Peer, "echo", new byte[1], default, Net.Token)).Outcome);
    }

    [Fact]
    public async Task A_queue_towards_a_peer_that_does_not_read_stays_within_its_bound_and_refuses_more()
    {
        var (dialler, listener) = await _net.PairAsync(
            options => options with
            {
                DefaultChannel = new ChannelOptions { Parallelism = 1, QueueMessages = 100, QueueBytes = 1024 * 1024 },
            },
            _wires);
        _wires.HoldSends();

        var outcomes = new Dictionary<SendOutcome, int>();
        for (var i = 0; i < 1_000; i++)
        {
            var outcome = dialler.TrySend(listener.Peer, "sink", new byte[64 * 1024]);
            outcomes[outcome] = outcomes.GetValueOrDefault(outcome) + 1;
        }

        Assert.InRange(outcomes[SendOutcome.Queued], 15, 16);
        Assert.InRange(dialler.Links.Single().Lanes.Single().Sender.QueuedBytes, 15 * 64 * 1024, 1024 * 1024);

        var refused = await dialler.RequestAsync(listener.Peer, "sink", new byte[64 * 1024], default, Net.Token);
        Assert.Equal(ReplyOutcome.Refused, refused.Outcome);
        Assert.Contains("is full", refused.Reason, StringComparison.Ordinal);

        var waiting = dialler.SendAsync(listener.Peer, "sink", new byte[64 * 1024], default, Net.Token).AsTask();
        Assert.False(waiting.IsCompleted);
        _wires.CutAll();
        Assert.Equal(SendOutcome.NotConnected, await Eventually.InTimeAsync(waiting));
    }

    [Fact]
    public async Task A_request_that_was_still_queued_when_the_link_broke_is_refused_not_unknown()
    {
        // Without heartbeats, one of which could be what the writer is stuck with.
        var (dialler, listener) = await _net.PairAsync(
            options => options with { HeartbeatInterval = TimeSpan.FromMinutes(5), DeadLinkAfter = TimeSpan.FromMinutes(10) }, _wires);
        _wires.HoldSends();

        // Each fills a batch of its own: the writer is stuck with the first, the last it has certainly not taken.
        var requests = Enumerable.Range(0, 24)
            .Select(
                _ => dialler.RequestAsync(
                    listener.Peer, "echo", new byte[1024 * 1024], new MessageOptions(Timeout: TimeSpan.FromHours(1)), Net.Token).AsTask())
            .ToList();
        Assert.All(requests, request => Assert.False(request.IsCompleted));
        await Eventually.HoldsAsync(() => _wires.HoldsOne, "the writer is stuck");
        _wires.CutAll();

        var replies = await Eventually.InTimeAsync(Task.WhenAll(requests));
        Assert.Equal(ReplyOutcome.Unknown, replies[0].Outcome);
        Assert.Equal(ReplyOutcome.Refused, replies[^1].Outcome);
        Assert.Contains("before the request was sent", replies[^1].Reason, StringComparison.Ordinal);
    }

    private static async Task<ClusterReply> RetryAsync(MessagingNode from, MessagingNode to)
    {
        ClusterReply reply = default;
        await Eventually.HoldsAsync(
            () =>
            {
                var request = from.RequestAsync(
                    to.Peer, "echo", new byte[1], new MessageOptions(Timeout: TimeSpan.FromSeconds(1)), Net.Token);
                reply = request.AsTask().GetAwaiter().GetResult();
                return reply.Outcome == ReplyOutcome.Replied;
            },
            "a request gets through again");
        return reply;
    }
}

public sealed class TcpLinkLossTests() : LinkLossTests(Wires.Tcp);

public sealed class UnixLinkLossTests() : LinkLossTests(Wires.Unix);

public sealed class InMemoryLinkLossTests() : LinkLossTests(Wires.InMemory);
