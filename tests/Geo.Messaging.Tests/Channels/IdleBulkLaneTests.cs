namespace Geo.Messaging.Tests;

/// <summary>Bulk lanes are closed when they carry nothing, and nothing else notices.</summary>
public sealed class IdleBulkLaneTests : IAsyncDisposable
{
    private readonly Net _net = new();
    private readonly FaultyTransport _wires = new();
    private int _downs;

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Bulk_lanes_that_carry_nothing_are_closed_at_both_ends_and_opened_again(bool fromTheListener)
    {
        var (dialler, listener) = await PairAsync(TimeSpan.FromMilliseconds(200), options => options with { MaxConnections = 8 });
        var (from, to) = fromTheListener ? (listener, dialler) : (dialler, listener);

        for (var round = 1; round <= 3; round++)
        {
            await EchoAsync(from, to, 3_000_000);
            await Eventually.HoldsAsync(() => LanesOf(dialler) > 0 && LanesOf(listener) > 0, "a bulk lane is open");
            await Eventually.HoldsAsync(() => LanesOf(dialler) == 0 && LanesOf(listener) == 0, "no bulk lane is open");
        }

        Assert.InRange(_wires.Connects, 1 + 3, int.MaxValue);
        Assert.Equal(0, _downs);
    }

    [Fact]
    public async Task Large_messages_and_the_closing_of_idle_lanes_do_not_disturb_each_other()
    {
        var (dialler, listener) = await PairAsync(TimeSpan.FromMilliseconds(10));
        var random = new Random(11);

        // Pauses about as long as a lane may be idle, at both ends, so that messages and closings cross.
        for (var round = 0; round < 150; round++)
        {
            await Task.Delay(random.Next(0, 40), Net.Token);
            var echoes = Enumerable.Range(0, random.Next(1, 4)).Select(_ => random.Next(2) == 0
                ? EchoAsync(dialler, listener, random.Next(70_000, 1_000_000))
                : EchoAsync(listener, dialler, random.Next(70_000, 1_000_000)));
            await Task.WhenAll(echoes.ToList());
        }

        Assert.Equal(0, _downs);
        Assert.True(_wires.Connects > 10, $"only {_wires.Connects} connections were opened");
    }

    private static int LanesOf(MessagingNode node) => node.Links is [var link] ? link.Lanes.Sum(lane => lane.Pieces.Lanes.Count) : -1;

    private static async Task EchoAsync(MessagingNode from, MessagingNode to, int bytes)
    {
        var reply = await Eventually.InTimeAsync(from.RequestAsync(to.Peer, "echo", new byte[bytes], default, Net.Token).AsTask());
        Assert.True(reply.Outcome == ReplyOutcome.Replied && reply.Payload.Length == bytes, reply.Reason);
    }

    private async Task<(MessagingNode Dialler, MessagingNode Listener)> PairAsync(
        TimeSpan idleTime, Func<MessagingOptions, MessagingOptions>? change = null)
    {
        var (dialler, listener) = await _net.PairAsync(
            options => (change ?? (o => o))(options with
            {
                DefaultChannel = new ChannelOptions { Parallelism = 4 },
                BulkLaneIdleTime = idleTime,
                HeartbeatInterval = TimeSpan.FromMilliseconds(10),
            }),
            _wires);
        foreach (var node in new[] { dialler, listener })
        {
            node.Handle("echo", (message, _) => new(message.Payload));
            node.MembersChanged += change => Interlocked.Add(ref _downs, change.IsUp ? 0 : 1);
        }

        return (dialler, listener);
    }
}
