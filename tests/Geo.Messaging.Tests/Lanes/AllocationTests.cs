namespace Geo.Messaging.Tests;

[Collection(ProcessWide.Name)]
public sealed class AllocationTests : IAsyncDisposable
{
    private const int Rounds = 200;
    private const int MessagesPerRound = 250;

    private readonly Net _net = new();

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Theory]
    [InlineData(100)]
    [InlineData(1024)]
    public void A_queue_that_is_filled_and_drained_all_the_time_allocates_nothing(int payloadBytes)
    {
        var queue = new OutboundQueue(new ChannelOptions(), 1024 * 1024, TimeProvider.System, static (_, _) => { });
        var payload = new byte[payloadBytes];
        List<ArraySegment<byte>> batch = [];
        for (var message = 0; message < MessagesPerRound; message++)
        {
            queue.TryAppend(FrameKind.OneWay, 0, "s", payload, PartitionKey.From(1), out _);
        }

        Round(queue, payload, batch);
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var round = 0; round < Rounds; round++)
        {
            Round(queue, payload, batch);
        }

        Assert.InRange(PerMessage(GC.GetAllocatedBytesForCurrentThread() - before), 0, 0.1);
    }

    [Fact]
    public void A_queue_that_swings_between_full_and_half_full_allocates_nothing()
    {
        var bounds = new ChannelOptions();
        var queue = new OutboundQueue(bounds, 1024 * 1024, TimeProvider.System, static (_, _) => { });
        var payload = new byte[1024];
        List<ArraySegment<byte>> batch = [];
        Swing();
        var before = GC.GetAllocatedBytesForCurrentThread();
        var messages = Swing() + Swing();

        Assert.InRange((double)(GC.GetAllocatedBytesForCurrentThread() - before) / messages, 0, 1);

        int Swing()
        {
            var added = 0;
            while (queue.TryAppend(FrameKind.OneWay, 0, "s", payload, PartitionKey.From(1), out _) == SendOutcome.Queued)
            {
                added++;
            }

            while (queue.Taken.Bytes > bounds.QueueBytes / 2 && queue.TryTake(batch))
            {
                queue.Release();
            }

            return added;
        }
    }

    [Fact]
    public async Task A_sender_of_one_way_messages_and_their_receiver_allocate_nothing_by_message()
    {
        var (dialler, listener) = await _net.PairAsync();
        var arrived = 0;
        using var there = listener.Handle("count", (_, _) =>
        {
            Interlocked.Increment(ref arrived);
            return default;
        });
        var payload = new byte[100];
        await SendAsync(dialler, listener, payload, () => Volatile.Read(ref arrived), Rounds / 4);

        // Both nodes, their pool and their heartbeats together; a single object by message would be 24 bytes at least.
        Assert.InRange(
            await LeastPerMessageAsync(() => SendAsync(dialler, listener, payload, () => Volatile.Read(ref arrived), Rounds)), 0, 12);
    }

    [Fact]
    public async Task A_request_allocates_little_more_than_the_reply_that_its_requester_keeps()
    {
        const int ReplyBytes = 128;
        var (dialler, listener) = await _net.PairAsync();
        using var there = listener.Handle("echo", (message, _) => new(message.Payload));
        var payload = new byte[100];
        await AskAsync(dialler, listener, payload, Rounds / 4);

        Assert.InRange(await LeastPerMessageAsync(() => AskAsync(dialler, listener, payload, Rounds)), ReplyBytes, ReplyBytes + 100);
    }

    [Fact]
    public async Task The_buffer_of_a_large_reply_that_is_released_is_used_again_and_one_that_is_kept_stays_as_it_is()
    {
        const int Echoes = 200;
        var (dialler, listener) = await _net.PairAsync();
        using var there = listener.Handle("echo", (message, _) => new(message.Payload));
        var payload = new byte[700_000];
        payload.AsSpan().Fill(1);
        var kept = await EchoAsync();
        payload.AsSpan().Fill(2);
        var before = GC.GetTotalAllocatedBytes();
        for (var echo = 0; echo < Echoes; echo++)
        {
            var released = await EchoAsync();
            released.Release();
            released.Release();
        }

        // Without reuse each takes a buffer at both ends.
        Assert.InRange(GC.GetTotalAllocatedBytes() - before, 0, Echoes * (long)payload.Length);
        Assert.True(kept.Payload.Span.IndexOfAnyExcept((byte)1) < 0);

        async Task<ClusterReply> EchoAsync()
        {
            var reply = await Eventually.InTimeAsync(dialler.RequestAsync(listener.Peer, "echo", payload, default, Net.Token).AsTask());
            Assert.Equal((ReplyOutcome.Replied, payload.Length), (reply.Outcome, reply.Payload.Length));
            Assert.True(reply.Payload.Span.SequenceEqual(payload));
            return reply;
        }
    }

    private static double PerMessage(long bytes) => bytes / (double)(Rounds * MessagesPerRound);

    // What is allocated by message is allocated in every attempt; what the runtime allocates now and then is not.
    private static async Task<double> LeastPerMessageAsync(Func<Task> send)
    {
        var least = double.MaxValue;
        for (var attempt = 0; attempt < 5; attempt++)
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            await send();
            least = Math.Min(least, PerMessage(GC.GetTotalAllocatedBytes(precise: true) - before));
        }

        return least;
    }

    private static void Round(OutboundQueue queue, byte[] payload, List<ArraySegment<byte>> batch)
    {
        for (var message = 0; message < MessagesPerRound; message++)
        {
            queue.TryAppend(FrameKind.OneWay, 0, "s", payload, PartitionKey.From(1), out _);
        }

        // Some stay, as in a lane that is never quite empty.
        queue.TryTake(batch);
        queue.Release();
    }

    // In the pool, because the test's own synchronization context allocates.
    private static Task SendAsync(
        MessagingNode from, MessagingNode to, byte[] payload, Func<int> arrived, int rounds) => Task.Run(async () =>
    {
        // A steady state: no more under way than a round.
        for (var round = 0; round < rounds; round++)
        {
            var goal = arrived() + MessagesPerRound;
            for (var message = 0; message < MessagesPerRound; message++)
            {
                if (from.TrySend(to.Peer, "count", payload) != SendOutcome.Queued)
                {
                    Assert.Fail("A message was not sent.");
                }
            }

            var deadline = Environment.TickCount64 + 10_000;
            while (arrived() < goal)
            {
                if (Environment.TickCount64 > deadline)
                {
                    Assert.Fail("The messages did not arrive.");
                }

                await Task.Yield();
            }
        }
    }, Net.Token);

    private static Task AskAsync(MessagingNode from, MessagingNode to, byte[] payload, int rounds) => Task.Run(async () =>
    {
        var replies = new ValueTask<ClusterReply>[MessagesPerRound];
        for (var round = 0; round < rounds; round++)
        {
            for (var request = 0; request < MessagesPerRound; request++)
            {
#pragma warning disable CA2012 // Each is awaited once, below.
                replies[request] = from.RequestAsync(to.Peer, "echo", payload, default, Net.Token);
#pragma warning restore CA2012
            }

            foreach (var reply in replies)
            {
                if ((await reply).Outcome != ReplyOutcome.Replied)
                {
                    Assert.Fail("A request was not answered.");
                }
            }
        }
    }, Net.Token);
}
