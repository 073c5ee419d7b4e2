using System.Collections.Concurrent;
using System.Text;

namespace Geo.Messaging.Tests;

/// <summary>What a node does whatever its transport.</summary>
public abstract class MessagingNodeTests : IAsyncDisposable
{
    private static readonly byte[] Hello = Encoding.UTF8.GetBytes("hello");

    private readonly Net _net;

    private protected MessagingNodeTests(Wires wires) => _net = new Net(wires);

    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return _net.DisposeAsync();
    }

    [Fact]
    public async Task A_requester_that_blocks_its_thread_holds_up_neither_the_replies_behind_its_own_nor_what_it_has_sent()
    {
        var (dialler, listener) = await _net.PairAsync();
        using var there = listener.Handle("echo", Echo);
        var all = Enumerable.Range(0, 8).Select(_ => Task.Run(async () =>
        {
            for (var round = 0; round < 20; round++)
            {
                await dialler.RequestAsync(listener.Peer, "echo", new byte[1], default, Net.Token);

                // On the thread that resumed it.
                var blocking = dialler.RequestAsync(listener.Peer, "echo", new byte[1], default, Net.Token).AsTask();
                Assert.Equal(ReplyOutcome.Replied, blocking.GetAwaiter().GetResult().Outcome);
            }
        })).ToArray();

        await Eventually.InTimeAsync(Task.WhenAll(all));
    }

    [Fact]
    public async Task A_handler_that_blocks_holds_up_no_replies_of_its_lane()
    {
        var (dialler, listener) = await _net.PairAsync();
        using var release = new ManualResetEventSlim();
        using var blocked = new ManualResetEventSlim();
        using var here = dialler.Handle("block", (_, _) =>
        {
            blocked.Set();
            release.Wait(Net.Token);
            return default;
        });
        using var there = listener.Handle("echo", Echo);
        listener.TrySend(dialler.Peer, "block", new byte[1]);
        await Eventually.HoldsAsync(() => blocked.IsSet, "the handler blocks");

        var reply = await Eventually.InTimeAsync(dialler.RequestAsync(listener.Peer, "echo", new byte[1], default, Net.Token).AsTask());

        release.Set();
        Assert.Equal(ReplyOutcome.Replied, reply.Outcome);
    }

    [Fact]
    public async Task A_request_brings_the_handlers_reply_whichever_side_dialled()
    {
        var (dialler, listener) = await _net.PairAsync();
        using var there = listener.Handle("echo", Echo);
        using var here = dialler.Handle("echo", Echo);

        var reply = await dialler.RequestAsync(listener.Peer, "echo", Hello, default, Net.Token);
        var back = await listener.RequestAsync(dialler.Peer, "echo", Hello, default, Net.Token);

        Assert.Equal((ReplyOutcome.Replied, "hello"), (reply.Outcome, Encoding.UTF8.GetString(reply.Payload.Span)));
        Assert.Equal((ReplyOutcome.Replied, "hello"), (back.Outcome, Encoding.UTF8.GetString(back.Payload.Span)));
    }

    [Fact]
    public async Task A_message_tells_the_handler_who_sent_it_from_which_cluster()
    {
        var (dialler, listener) = await _net.PairAsync();
        var seen = new TaskCompletionSource<PeerMessage>();
        using var there = listener.Handle("tell", (message, _) =>
        {
            seen.SetResult(message);
            return default;
        });

        Assert.Equal(SendOutcome.Queued, dialler.TrySend(listener.Peer, "tell", Hello));

        var message = await Eventually.InTimeAsync(seen.Task);
        Assert.Equal(
            (dialler.Peer, dialler.Cluster, "tell", false), (message.From, message.FromCluster, message.Service, message.ExpectsReply));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(100_000)]
    [InlineData(200_000)]
    [InlineData(5_000_000)]
    public async Task Payloads_of_any_size_arrive_whole(int size)
    {
        var (dialler, listener) = await _net.PairAsync();
        using var there = listener.Handle("echo", Echo);
        var payload = new byte[size];
        new Random(size).NextBytes(payload);

        var replies = await Task.WhenAll(Enumerable.Range(0, 4).Select(
            _ => dialler.RequestAsync(listener.Peer, "echo", payload, default, Net.Token).AsTask()));

        Assert.All(replies, reply => Assert.True(reply.Payload.Span.SequenceEqual(payload), reply.Reason));
    }

    [Fact]
    public async Task A_request_without_a_link_is_refused_at_once()
    {
        var alone = await _net.StartAsync("us/1");

        var request = alone.RequestAsync(new PeerId("eu/1"), "echo", Hello, default, Net.Token);

        Assert.True(request.IsCompleted);
        var reply = await request;
        Assert.Equal((ReplyOutcome.Refused, false), (reply.Outcome, reply.IsNotServed));
        Assert.Contains("no link to eu/1", reply.Reason, StringComparison.Ordinal);
        Assert.Equal(SendOutcome.NotConnected, alone.TrySend(new PeerId("eu/1"), "echo", Hello));
    }

    [Fact]
    public async Task A_request_for_a_service_that_nobody_handles_is_refused()
    {
        var (dialler, listener) = await _net.PairAsync();

        var reply = await dialler.RequestAsync(listener.Peer, "nothing", Hello, default, Net.Token);

        Assert.Equal((ReplyOutcome.Refused, true), (reply.Outcome, reply.IsNotServed));
        Assert.Contains("no service 'nothing'", reply.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_handler_that_fails_turns_the_request_unknown_with_its_message()
    {
        var (dialler, listener) = await _net.PairAsync();
        using var now = listener.Handle("now", (_, _) => throw new InvalidOperationException("out of paper"));
        using var later = listener.Handle("later", async (_, _) =>
        {
            await Task.Yield();
            throw new InvalidOperationException("out of ink");
        });

        var first = await dialler.RequestAsync(listener.Peer, "now", Hello, default, Net.Token);
        var second = await dialler.RequestAsync(listener.Peer, "later", Hello, default, Net.Token);

        Assert.Equal((ReplyOutcome.Unknown, ReplyOutcome.Unknown), (first.Outcome, second.Outcome));
        Assert.Contains("out of paper", first.Reason, StringComparison.Ordinal);
        Assert.Contains("out of ink", second.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_that_is_not_answered_in_time_ends_as_unknown_and_its_handler_is_asked_to_stop()
    {
        var (dialler, listener) = await _net.PairAsync();
        var stopped = new TaskCompletionSource();
        using var there = listener.Handle("slow", Never(stopped));

        var reply = await dialler.RequestAsync(
            listener.Peer, "slow", Hello, new MessageOptions(Timeout: TimeSpan.FromMilliseconds(50)), Net.Token);

        Assert.Equal(ReplyOutcome.Unknown, reply.Outcome);
        Assert.Contains("within 0.05 s", reply.Reason, StringComparison.Ordinal);
        await Eventually.InTimeAsync(stopped.Task);
    }

    [Fact]
    public async Task A_requester_that_gives_up_is_released_and_the_handler_asked_to_stop()
    {
        var (dialler, listener) = await _net.PairAsync();
        var stopped = new TaskCompletionSource();
        using var there = listener.Handle("slow", Never(stopped));
        using var giveUp = new CancellationTokenSource();

        var request = dialler.RequestAsync(listener.Peer, "slow", Hello, default, giveUp.Token).AsTask();
        await giveUp.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.InTimeAsync(request));
        await Eventually.InTimeAsync(stopped.Task);
    }

    [Fact]
    public async Task A_slow_handler_does_not_hold_up_the_messages_behind_it()
    {
        var (dialler, listener) = await _net.PairAsync();
        var gate = new TaskCompletionSource();
        using var slow = listener.Handle("slow", async (message, _) =>
        {
            await gate.Task;
            return message.Payload;
        });
        using var quick = listener.Handle("echo", Echo);

        var waiting = dialler.RequestAsync(listener.Peer, "slow", Hello, default, Net.Token).AsTask();
        var overtaken = await dialler.RequestAsync(listener.Peer, "echo", Hello, default, Net.Token);
        Assert.Equal(ReplyOutcome.Replied, overtaken.Outcome);
        Assert.False(waiting.IsCompleted);

        gate.SetResult();
        Assert.Equal("hello", Encoding.UTF8.GetString((await waiting).Payload.Span));
    }

    [Fact]
    public async Task Messages_of_one_key_keep_their_order_while_many_keys_send_at_once()
    {
        var (dialler, listener) = await _net.PairAsync();
        const int Keys = 8, PerKey = 5_000;
        var last = new ConcurrentDictionary<int, int>();
        var disorder = 0;
        var received = 0;
        using var there = listener.Handle("ordered", (message, _) =>
        {
            var (key, number) = (BitConverter.ToInt32(message.Payload.Span), BitConverter.ToInt32(message.Payload.Span[4..]));
            if (last.GetValueOrDefault(key) != number - 1)
            {
                Interlocked.Increment(ref disorder);
            }

            last[key] = number;
            Interlocked.Increment(ref received);
            return default;
        });

        await Task.WhenAll(Enumerable.Range(0, Keys).Select(key => Task.Run(async () =>
        {
            for (var number = 1; number <= PerKey; number++)
            {
                var outcome = await dialler.SendAsync(
                    listener.Peer, "ordered", Both(key, number), new MessageOptions(PartitionKey: PartitionKey.From(key)), Net.Token);
                Assert.Equal(SendOutcome.Queued, outcome);
            }
        })));

        await Eventually.HoldsAsync(() => Volatile.Read(ref received) == Keys * PerKey, "all messages have arrived");
        Assert.Equal(0, disorder);
    }

    [Fact]
    public async Task Many_requests_at_once_each_get_their_own_reply()
    {
        var (dialler, listener) = await _net.PairAsync();
        using var there = listener.Handle("echo", async (message, _) =>
        {
            if (message.Payload.Span[0] % 3 == 0)
            {
                await Task.Yield();
            }

            return message.Payload;
        });

        await Task.WhenAll(Enumerable.Range(0, 32).Select(actor => Task.Run(async () =>
        {
            for (var number = 0; number < 500; number++)
            {
                var payload = Both(actor, number);
                var reply = await dialler.RequestAsync(listener.Peer, "echo", payload, default, Net.Token);
                Assert.True(reply.Payload.Span.SequenceEqual(payload), reply.Reason);
            }
        })));
    }

    [Fact]
    public async Task Handlers_beyond_the_number_allowed_are_refused()
    {
        var (dialler, listener) = await _net.PairAsync(options => options with { MaxRunningHandlers = 2 });
        var gate = new TaskCompletionSource();
        using var slow = listener.Handle("slow", async (message, _) =>
        {
            await gate.Task;
            return message.Payload;
        });

        var first = dialler.RequestAsync(listener.Peer, "slow", Hello, default, Net.Token).AsTask();
        var second = dialler.RequestAsync(listener.Peer, "slow", Hello, default, Net.Token).AsTask();
        var third = await dialler.RequestAsync(listener.Peer, "slow", Hello, default, Net.Token);
        gate.SetResult();

        Assert.Equal(ReplyOutcome.Refused, third.Outcome);
        Assert.Equal(ReplyOutcome.Replied, (await first).Outcome);
        Assert.Equal(ReplyOutcome.Replied, (await second).Outcome);
    }

    [Fact]
    public async Task A_payload_above_either_sides_limit_is_not_sent()
    {
        var listener = await _net.ListenAsync("eu/1", options => options with { MaxMessageBytes = 10_000 });
        var dialler = await _net.StartAsync("us/1");
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));

        var reply = await dialler.RequestAsync(listener.Peer, "echo", new byte[10_001], default, Net.Token);

        Assert.Equal(ReplyOutcome.Refused, reply.Outcome);
        Assert.Contains("larger than MaxMessageBytes", reply.Reason, StringComparison.Ordinal);
        Assert.Equal(SendOutcome.TooLarge, dialler.TrySend(listener.Peer, "echo", new byte[10_001]));
    }

    [Fact]
    public async Task A_reply_or_a_reason_above_the_requesters_limit_ends_its_request_and_not_the_link()
    {
        var listener = await _net.ListenAsync("eu/1");
        var dialler = await _net.StartAsync("us/1", options => options with { MaxMessageBytes = 1024 });
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        listener.Handle("much", (_, _) => new(new byte[2000]));
        listener.Handle("more", (message, _) => new(new byte[200_000]));
        listener.Handle("fails", (_, _) => throw new InvalidOperationException(new string('€', 2000)));
        listener.Handle("echo", Echo);

        foreach (var service in new[] { "much", "more", "fails" })
        {
            var reply = await Eventually.InTimeAsync(
                dialler.RequestAsync(listener.Peer, service, new byte[1], default, Net.Token).AsTask());
            Assert.Equal(ReplyOutcome.Unknown, reply.Outcome);
            Assert.Contains(service == "fails" ? "€€€" : "more than the MaxMessageBytes", reply.Reason, StringComparison.Ordinal);
        }

        var echoed = await Eventually.InTimeAsync(dialler.RequestAsync(listener.Peer, "echo", new byte[1], default, Net.Token).AsTask());
        Assert.Equal(ReplyOutcome.Replied, echoed.Outcome);
    }

    [Fact]
    public async Task A_service_has_one_handler_until_its_registration_is_disposed()
    {
        var node = await _net.StartAsync("us/1");
        var first = node.Handle("echo", Echo);
        Assert.Throws<InvalidOperationException>(() => node.Handle("echo", Echo));

        first.Dispose();
        using var second = node.Handle("echo", Echo);
        Assert.Throws<ArgumentException>(() => node.Handle(new string('x', 300), Echo));
    }

    [Fact]
    public async Task A_node_that_leaves_lets_its_queue_out_and_its_peers_know()
    {
        var (dialler, listener) = await _net.PairAsync();
        var received = 0;
        using var there = listener.Handle("tell", (_, _) =>
        {
            Interlocked.Increment(ref received);
            return default;
        });
        var down = new TaskCompletionSource<MembershipChange>();
        listener.MembersChanged += change =>
        {
            if (!change.IsUp)
            {
                down.TrySetResult(change);
            }
        };
        for (var i = 0; i < 10_000; i++)
        {
            Assert.Equal(SendOutcome.Queued, dialler.TrySend(listener.Peer, "tell", Hello));
        }

        await Eventually.InTimeAsync(dialler.LeaveAsync(Net.Token));

        var change = await Eventually.InTimeAsync(down.Task);
        Assert.Equal(dialler.Peer, change.Member.Peer);
        Assert.Contains("us/1 leaves", change.Reason, StringComparison.Ordinal);
        Assert.Equal(10_000, received);
        Assert.Empty(dialler.Members);
    }

    private static ValueTask<ReadOnlyMemory<byte>> Echo(PeerMessage message, CancellationToken cancellationToken) => new(message.Payload);

    private static PeerMessageHandler Never(TaskCompletionSource stopped) => async (_, token) =>
    {
        try
        {
            await Task.Delay(Timeout.Infinite, token);
        }
        finally
        {
            stopped.SetResult();
        }

        return default;
    };

    private static byte[] Both(int first, int second) => [.. BitConverter.GetBytes(first), .. BitConverter.GetBytes(second)];
}

public sealed class TcpMessagingNodeTests() : MessagingNodeTests(Wires.Tcp);

public sealed class UnixMessagingNodeTests() : MessagingNodeTests(Wires.Unix);

public sealed class InMemoryMessagingNodeTests() : MessagingNodeTests(Wires.InMemory);
