namespace Geo.Messaging.Tests;

public sealed class OutboundQueueTests
{
    private const int MaxAnswerBytes = 4096;

    private readonly ManualTime _time = new();
    private readonly Dictionary<string, int> _dropped = [];

    [Fact]
    public void Messages_leave_in_the_order_in_which_they_came_and_many_in_one_batch()
    {
        var queue = Queue(new ChannelOptions());
        string[] texts = [.. Enumerable.Range(0, 1000).Select(i => $"message {i}")];
        Assert.All(texts, text => Assert.Equal(SendOutcome.Queued, queue.Tell(text)));

        List<ArraySegment<byte>> batch = [];
        Assert.True(queue.TryTake(batch));
        Assert.InRange(batch.Count, 1, 2);
        Assert.Equal(1000, queue.Release());
        Assert.Equal(0, queue.Taken.Bytes);

        Assert.All(texts, text => queue.Tell(text));
        Assert.Equal(texts, queue.Drain());
    }

    [Fact]
    public void The_bounds_hold_until_what_was_taken_has_been_sent()
    {
        var queue = Queue(new ChannelOptions { QueueMessages = 2 });
        Assert.Equal(SendOutcome.Queued, queue.Tell("a"));
        Assert.Equal(SendOutcome.Queued, queue.Tell("b"));
        Assert.Equal(SendOutcome.Full, queue.Tell("c"));

        Assert.True(queue.TryTake([]));
        Assert.Equal(SendOutcome.Full, queue.Tell("c"));

        queue.Release();
        Assert.Equal(SendOutcome.Queued, queue.Tell("c"));
    }

    [Fact]
    public void A_message_larger_than_the_bound_is_let_into_an_empty_lane()
    {
        var queue = Queue(new ChannelOptions { QueueBytes = 1024 });

        Assert.Equal(SendOutcome.Queued, queue.Tell(new string('x', 5000)));
        Assert.Equal(SendOutcome.Full, queue.Tell("y"));
    }

    [Fact]
    public void What_the_link_says_is_bounded_probes_that_a_peer_provokes_among_it()
    {
        foreach (var kind in new[] { FrameKind.Ping, FrameKind.Pong, FrameKind.Received })
        {
            var queue = Queue(new ChannelOptions());
            var said = Enumerable.Range(0, 10_000)
                .Count(number => queue.TryAppend(kind, (ulong)number, "", default, default, out _) == SendOutcome.Queued);

            Assert.Equal(MaxAnswerBytes / FrameHeader.Size, said);
        }
    }

    [Fact]
    public void Replies_take_no_more_than_their_peer_may_and_give_it_back_when_they_are_sent_or_lost()
    {
        var budget = new NodeBudget(100_000);
        var queue = new OutboundQueue(new ChannelOptions(), MaxAnswerBytes, _time, (_, _) => { }, budget.NewShare(new object()));

        var replies = Enumerable.Range(0, 100)
            .Count(number => queue.TryAppend(FrameKind.Reply, (ulong)number, "", new byte[1000], default, out _) == SendOutcome.Queued);
        Assert.InRange(replies, 40, 50);
        Assert.Equal(SendOutcome.Queued, queue.Tell("a message of this side"));

        queue.Drain();
        Assert.InRange(budget.Held, 0, 16 * 1024);
        Assert.Equal(SendOutcome.Queued, queue.TryAppend(FrameKind.Reply, 1, "", new byte[1000], default, out _));
        queue.Discard();
        Assert.Equal(0, budget.Held);
    }

    [Fact]
    public void A_monotonic_channel_keeps_the_newest_of_each_key_in_the_place_of_the_older()
    {
        var queue = Queue(new ChannelOptions { Monotonic = true });
        queue.Tell("a1", key: 1);
        queue.Tell("b1", key: 2);
        queue.Tell("a2 is longer than the first, and longer than the least that a pooled buffer holds", key: 1);
        queue.Tell("a1 of another service", key: 1, service: "t");
        queue.Tell("b2", key: 2);

        Assert.Equal(
            ["a2 is longer than the first, and longer than the least that a pooled buffer holds", "b2", "a1 of another service"],
            queue.Drain());
        Assert.Equal(2, _dropped["superseded"]);
        Assert.Equal(0, queue.Taken.Bytes);
        queue.Tell("a3", key: 1);
        Assert.Equal(["a3"], queue.Drain());
    }

    [Fact]
    public void Requests_on_a_monotonic_channel_are_never_replaced()
    {
        var queue = Queue(new ChannelOptions { Monotonic = true });
        for (var i = 0UL; i < 3; i++)
        {
            queue.TryAppend(FrameKind.Request, i, "s", "ask"u8, PartitionKey.From(1), out _);
        }

        Assert.Equal(["ask", "ask", "ask"], queue.Drain());
    }

    [Fact]
    public void A_full_monotonic_channel_refuses_a_new_key_or_drops_the_oldest_as_its_policy_says()
    {
        var refusing = Queue(new ChannelOptions { Monotonic = true, QueueMessages = 2 });
        var dropping = Queue(new ChannelOptions { Monotonic = true, QueueMessages = 2, Overflow = OverflowPolicy.DropOldest });
        foreach (var queue in new[] { refusing, dropping })
        {
            queue.Tell("a1", key: 1);
            queue.Tell("b1", key: 2);
        }

        Assert.Equal(SendOutcome.Full, refusing.Tell("c1", key: 3));
        Assert.Equal(SendOutcome.Queued, refusing.Tell("a2", key: 1));
        Assert.Equal(["a2", "b1"], refusing.Drain());

        Assert.Equal(SendOutcome.Queued, dropping.Tell("c1", key: 3));
        Assert.Equal(["b1", "c1"], dropping.Drain());
        Assert.Equal(1, _dropped["oldest"]);
    }

    [Fact]
    public void A_newer_message_that_has_grown_pushes_others_out_but_never_itself()
    {
        var queue = Queue(new ChannelOptions { Monotonic = true, QueueBytes = 1024, Overflow = OverflowPolicy.DropOldest });
        queue.Tell("a", key: 1);
        queue.Tell("b", key: 2);
        queue.Tell("c", key: 3);
        var grown = new string('a', 2000);

        Assert.Equal(SendOutcome.Queued, queue.Tell(grown, key: 1));
        Assert.Equal([grown], queue.Drain());
        Assert.Equal(2, _dropped["oldest"]);
        Assert.Equal(0, queue.Taken.Bytes);
    }

    [Fact]
    public async Task A_window_holds_messages_back_so_that_one_of_each_key_leaves_per_window()
    {
        var queue = Queue(new ChannelOptions { Monotonic = true, MonotonicWindow = TimeSpan.FromSeconds(1) });
        queue.Tell("a1", key: 1);
        Assert.Equal(["a1"], queue.Drain());

        for (var i = 2; i < 100; i++)
        {
            queue.Tell($"a{i}", key: 1);
            queue.Tell($"b{i}", key: 2);
            Assert.Empty(queue.Drain());
        }

        var wake = queue.WaitToTakeAsync();
        _time.Advance(TimeSpan.FromMilliseconds(999));
        Assert.False(wake.IsCompleted);
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.True(await wake);
        Assert.Equal(["a99", "b99"], queue.Drain());
    }

    [Fact]
    public async Task Closing_ends_the_window_so_that_the_last_messages_leave()
    {
        var queue = Queue(new ChannelOptions { Monotonic = true, MonotonicWindow = TimeSpan.FromHours(0.01) });
        queue.Tell("a1");
        queue.Drain();
        queue.Tell("a2");

        queue.Close();

        Assert.True(await queue.WaitToTakeAsync());
        Assert.Equal(["a2"], queue.Drain());
        Assert.False(await queue.WaitToTakeAsync());
    }

    [Fact]
    public async Task Closing_wakes_a_writer_that_sleeps_while_a_burst_holds_its_messages_back()
    {
        var queue = Queue(new ChannelOptions());
        using var watch = new BurstWatch(_time);
        var wake = queue.WaitToTakeAsync();
        var burst = watch.Begin();
        queue.Tell("a");
        Assert.False(wake.IsCompleted);

        queue.Close();
        watch.End(burst);

        Assert.True(await wake);
        Assert.Equal(["a"], queue.Drain());
    }

    [Fact]
    public async Task A_burst_wakes_the_writer_once_at_its_end_or_when_it_is_held_up()
    {
        var queue = Queue(new ChannelOptions());
        using var watch = new BurstWatch(_time);
        var burst = watch.Begin();
        var wake = queue.WaitToTakeAsync();
        queue.Tell("a");
        queue.Tell("b");
        Assert.False(wake.IsCompleted);
        watch.End(burst);
        Assert.True(wake.IsCompletedSuccessfully);
        Assert.Equal(["a", "b"], queue.Drain());

        burst = watch.Begin();
        wake = queue.WaitToTakeAsync();
        queue.Tell("c");
        _time.Advance(BurstWatch.Period);
        Assert.False(wake.IsCompleted);
        _time.Advance(BurstWatch.Period);
        Assert.True(await Eventually.InTimeAsync(wake.AsTask()));
        watch.End(burst);
    }

    [Fact]
    public void Discarding_counts_what_was_never_taken()
    {
        var queue = Queue(new ChannelOptions { Monotonic = true });
        queue.TryAppend(FrameKind.Request, 1, "s", default, default, out _);
        queue.TryTake([]);
        queue.Tell("a", key: 1);
        queue.Tell("b", key: 2);

        Assert.Equal(2, queue.Discard());
        Assert.Equal(SendOutcome.NotConnected, queue.Tell("c"));
    }

    private OutboundQueue Queue(ChannelOptions options) =>
        new(options, MaxAnswerBytes, _time, (reason, count) => _dropped[reason] = _dropped.GetValueOrDefault(reason) + count);
}
