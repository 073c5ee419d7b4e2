using System.Text;

namespace Geo.Messaging.Tests;

/// <summary>
/// A lane without bulk lanes beside it: its writer sends pieces between its small messages. The test decides when it sends.
/// </summary>
public sealed class SingleLaneTests
{
    private const int MaxMessage = 1024 * 1024;
    private const int MaxGathered = 2 * MaxMessage;

    private static readonly MessagingOptions Options =
        new() { Peer = new PeerId("us/1"), MaxMessageBytes = MaxMessage, MaxGatheredBytes = MaxGathered };

    private readonly OutboundQueue _queue = new(new ChannelOptions(), 4096, TimeProvider.System, (_, _) => { });
    private readonly PieceChannel _pieces;
    private readonly List<byte[]> _received = [];
    private readonly LargeInbox _inbox;
    private readonly PieceSink _remote;

    public SingleLaneTests()
    {
        var plan = new LanePlan([new("default", 1)]);
        var terms = new LinkTerms(1, plan, 1, MaxMessage, MaxGathered);
        var link = new LinkContext(Nodes.Of(Options), new PeerIdentity(new PeerId("eu/1"), default, "eu/1", 1), terms);
        _pieces = new PieceChannel(link, plan.Lanes[0], _queue, new PieceSink());
        _remote = new PieceSink((_, preface, payload) =>
        {
            Assert.Equal("s", Encoding.UTF8.GetString(preface));
            _received.Add(payload.ToArray());
        });
        _inbox = new LargeInbox(MaxMessage, MaxGathered, new NodeBudget(long.MaxValue).NewShare(new object()), _remote);
    }

    [Theory]
    [InlineData(65_100)]
    [InlineData(65_503)]
    [InlineData(65_504)]
    [InlineData(131_024)]
    [InlineData(262_145)]
    [InlineData(1_000_000)]
    public async Task A_message_of_any_size_is_put_together_as_it_was(int size)
    {
        var payload = Filled(size);
        Send(payload, key: 1);

        await ReceiveAsync(Drain());

        Assert.Equal([payload], _received);
        Assert.Equal((0, 0), (_queue.Taken.Bytes, _pieces.Outbox.Bytes));
    }

    [Fact]
    public async Task A_small_message_of_another_key_passes_a_large_one()
    {
        Send(Filled(900_000), key: 1);
        var wire = Batch();
        Assert.InRange(wire.Length, 64 * 1024, 320 * 1024);

        Send([42], key: 2);
        await ReceiveAsync([.. wire, .. Drain()]);

        Assert.Equal([1, 900_000], _received.Select(payload => payload.Length));
        Assert.Equal([42], _received[0]);
    }

    [Fact]
    public void Of_two_channels_with_one_lane_each_the_one_of_higher_priority_sends_its_large_messages_first()
    {
        var plan = new LanePlan([new("low", 1), new("high", 1)]);
        var options = Options with
        {
            DefaultChannel = new ChannelOptions { Name = "low", Parallelism = 1 },
            Channels = [new ChannelOptions { Name = "high", Parallelism = 1, Priority = 1 }],
        };
        var link = new LinkContext(
            Nodes.Of(options), new PeerIdentity(new PeerId("eu/1"), default, "eu/1", 1),
            new LinkTerms(1, plan, 1, MaxMessage, MaxGathered));
        var (low, high) = (new PieceChannel(link, plan.Lanes[0], _queue, new PieceSink()), NewChannel(link, plan.Lanes[1]));
        foreach (var channel in new[] { low, high })
        {
            channel.Outbox.TryAppend(FrameKind.OneWay, 0, "s", Filled(600_000), PartitionKey.From(1), null, out _);
        }

        List<string> order = [];
        for (var looks = 0; looks < 10; looks++)
        {
            foreach (var (name, channel) in new[] { ("low", low), ("high", high) })
            {
                List<ArraySegment<byte>> batch = [];
                if (channel.Feed.TryTake(batch))
                {
                    order.Add(name);
                    channel.Feed.NoteSent();
                }
            }
        }

        Assert.Equal(["high", "high", "high", "low", "low", "low"], order);

        static PieceChannel NewChannel(LinkContext link, LaneId id) =>
            new(link, id, new OutboundQueue(new ChannelOptions(), 4096, TimeProvider.System, (_, _) => { }), new PieceSink());
    }

    [Fact]
    public async Task Messages_of_one_key_keep_their_order_whatever_their_sizes()
    {
        int[] sizes = [10, 500_000, 20, 30, 100_000, 40];
        foreach (var size in sizes)
        {
            Send(Filled(size), key: 7);
        }

        await ReceiveAsync(Drain());

        Assert.Equal(sizes.Select(Filled), _received);
    }

    [Fact]
    public async Task A_short_message_passes_a_long_one_of_another_key()
    {
        Send(Filled(900_000), key: 1);
        Send(Filled(70_000), key: 2);

        await ReceiveAsync(Drain());

        Assert.Equal([70_000, 900_000], _received.Select(payload => payload.Length));
    }

    [Fact]
    public async Task More_is_not_begun_than_the_remote_gathers_and_nothing_starves()
    {
        for (var key = 0; key < 8; key++)
        {
            Send(Filled(400_000 + key), key);
        }

        Send(Filled(MaxMessage), key: 9);
        Send(Filled(70_000), key: 10);
        for (var round = 0; _received.Count < 10; round++)
        {
            Assert.InRange(round, 0, 10);
            await ReceiveAsync(Drain());
            Assert.InRange(_inbox.OpenBytes, 0, MaxGathered);
            Acknowledge();
        }

        Assert.Equal(10, _received.Select(payload => payload.Length).Distinct().Count());
    }

    [Fact]
    public void A_writer_without_pieces_waits_and_is_woken_by_the_next_message()
    {
        Assert.False(_pieces.Feed.TryTake([]));
        Assert.False(_pieces.Feed.TryTake([]));

        Send(Filled(100_000), key: 1);

        Assert.True(_pieces.Feed.TryTake([]));
    }

    private static byte[] Filled(int size)
    {
        var bytes = new byte[size];
        new Random(size).NextBytes(bytes);
        return bytes;
    }

    private void Send(byte[] payload, int key)
    {
        Assert.Equal(
            SendOutcome.Queued,
            _pieces.Outbox.IsBusy || new FrameHeader(FrameKind.OneWay, 0, 1, payload.Length).IsLarge
                ? _pieces.Outbox.TryAppend(FrameKind.OneWay, 0, "s", payload, PartitionKey.From(key), null, out _)
                : _queue.TryAppend(FrameKind.OneWay, 0, "s", payload, PartitionKey.From(key), out _));
    }

    private byte[] Batch()
    {
        List<ArraySegment<byte>> batch = [];
        _queue.TryTake(batch);
        var hasPiece = _pieces.Feed.TryTake(batch);
        byte[] sent = [.. batch.SelectMany(segment => segment)];
        _queue.Release();
        if (hasPiece)
        {
            _pieces.Feed.NoteSent();
        }

        return sent;
    }

    private byte[] Drain()
    {
        List<byte> all = [];
        for (var batch = Batch(); batch.Length > 0; batch = Batch())
        {
            all.AddRange(batch);
        }

        return [.. all];
    }

    private async Task ReceiveAsync(byte[] wire)
    {
        var (reason, isFault) = await new LaneReader(new ScriptedConnection { Script = wire }, 128 * 1024, MaxMessage, TimeProvider.System)
            .RunAsync(new Reader(this));
        Assert.False(isFault, reason);
    }

    private void Acknowledge()
    {
        foreach (var (kind, number) in _remote.Told)
        {
            Assert.Null(_pieces.OnFrame(new FrameHeader(kind, number, 0, 0), default));
        }

        _remote.Told.Clear();
    }

    private sealed class Reader(SingleLaneTests test) : ILaneSink
    {
        public string? OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload)
        {
            switch (header.Kind)
            {
                case FrameKind.Announce:
                    return test._inbox.Announce(header.Number, payload.Span);
                case FrameKind.Follows:
                    var fault = test._inbox.Follow(header.Number, payload, out var inner, out var isNext);
                    if (isNext)
                    {
                        test._received.Add(payload[inner.PayloadOffset..].ToArray());
                    }

                    return fault;
                default:
                    test._received.Add(payload.ToArray());
                    return null;
            }
        }

        public string? BeginPiece(ulong number, PieceHeader piece, out Memory<byte> into) => test._inbox.Begin(number, piece, out into);

        public void EndPiece(ulong number, PieceHeader piece) => test._inbox.End(number, piece);

        public ValueTask OnReceivedAsync() => default;
    }
}
