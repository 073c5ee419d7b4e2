using Geo.Testing.InMemory;

namespace Geo.Messaging.Tests;

/// <summary>Striping over real connections.</summary>
public sealed class BulkLaneTests : IAsyncDisposable
{
    private static readonly ChannelOptions FourLanes = new() { Parallelism = 4 };
    private static readonly MessageOptions Patient = new(Timeout: TimeSpan.FromHours(1));

    private readonly Net _net = new();
    private readonly FaultyTransport _wires = new();

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Bulk_lanes_are_opened_by_the_dialler_when_either_side_has_large_messages(bool fromTheListener)
    {
        // 9 MB may be on the way from the start, which is what three lanes carry.
        var (one, other) = await PairAsync(options => options with { MinInFlightBytes = 9 * 1024 * 1024 });
        var (dialler, from, to) = (one, fromTheListener ? other : one, fromTheListener ? one : other);
        using var echo = to.Handle("echo", (message, _) => new(message.Payload));
        Assert.Equal(ReplyOutcome.Replied, (await from.RequestAsync(to.Peer, "echo", new byte[60_000], default, Net.Token)).Outcome);
        Assert.Equal(1, _wires.Connects);

        await EchoLargeAsync(from, to);
        await Eventually.HoldsAsync(() => LanesOf(from) == 3 && LanesOf(to) == 3, "three bulk lanes are open at both ends");
        for (var i = 0; i < 5; i++)
        {
            await EchoLargeAsync(from, to);
        }

        Assert.Equal(1 + 3, _wires.Connects);
        Assert.Equal(LanesOf(dialler), LanesOf(to));
    }

    [Fact]
    public async Task On_a_long_path_lanes_are_opened_for_what_waits_and_not_one_after_another_as_the_budget_grows()
    {
        // The budget alone calls for two, and never grows here.
        const int inFlight = 4 * 1024 * 1024;
        var network = new InMemoryNetwork(TimeProvider.System) { Delay = TimeSpan.FromMilliseconds(50) };
        MessagingOptions LongPath(MessagingOptions options) => options with
        {
            MinInFlightBytes = inFlight,
            MaxInFlightBytes = inFlight,
            DefaultChannel = new ChannelOptions { Parallelism = 16, QueueBytes = 1 << 30 },
        };
        var listener = await _net.ListenAsync("eu/1", LongPath, network);
        var dialler = await _net.StartAsync("us/1", LongPath, network);
        using var echo = listener.Handle("echo", (message, _) => new(message.Payload[..1]));
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(dialler, listener);

        var requests = Enumerable.Range(0, 8)
            .Select(_ => dialler.RequestAsync(listener.Peer, "echo", new byte[8 * 1024 * 1024], Patient, Net.Token).AsTask())
            .ToList();
        await Eventually.HoldsAsync(() => LanesOf(dialler) == 15, "all bulk lanes are open");
        Assert.All(await Eventually.InTimeAsync(Task.WhenAll(requests)), reply => Assert.Equal(ReplyOutcome.Replied, reply.Outcome));
    }

    [Fact]
    public async Task A_bulk_lane_that_breaks_ends_the_link_and_what_was_partly_sent_is_unknown()
    {
        var (dialler, listener) = await PairAsync(
            options => options with
            {
                MaxInFlightBytes = 4 * 1024 * 1024,
                DefaultChannel = FourLanes with { QueueBytes = 1 << 30 },
                HeartbeatInterval = TimeSpan.FromMinutes(5),
                DeadLinkAfter = TimeSpan.FromMinutes(10),
            });
        using var echo = listener.Handle("echo", (message, _) => new(message.Payload));
        await EchoLargeAsync(dialler, listener);
        await Eventually.HoldsAsync(() => LanesOf(dialler) > 0, "a bulk lane is open");

        _wires.HoldSends();
        var requests = Enumerable.Range(0, 24)
            .Select(_ => dialler.RequestAsync(listener.Peer, "echo", new byte[1024 * 1024], Patient, Net.Token).AsTask())
            .ToList();
        await Eventually.HoldsAsync(() => _wires.HoldsOne, "a lane is stuck");
        _wires.CutAll();

        var replies = await Eventually.InTimeAsync(Task.WhenAll(requests));
        Assert.Equal(ReplyOutcome.Unknown, replies[0].Outcome);
        Assert.Equal(ReplyOutcome.Refused, replies[^1].Outcome);
        await Eventually.HoldsAsync(() => dialler.Members.Count == 1 && listener.Members.Count == 1, "the link comes back");
    }

    [Fact]
    public async Task A_peer_that_leaves_lets_its_large_messages_out_first()
    {
        var (dialler, listener) = await PairAsync();
        var received = 0;
        using var sink = listener.Handle("sink", (message, _) =>
        {
            Interlocked.Add(ref received, message.Payload.Length);
            return default;
        });
        using var echo = listener.Handle("echo", (message, _) => new(message.Payload));
        await EchoLargeAsync(dialler, listener);
        await Eventually.HoldsAsync(() => LanesOf(dialler) > 0, "a bulk lane is open");

        for (var i = 0; i < 8; i++)
        {
            Assert.Equal(SendOutcome.Queued, dialler.TrySend(listener.Peer, "sink", new byte[2_000_000]));
        }

        await Eventually.InTimeAsync(dialler.LeaveAsync(Net.Token));

        await Eventually.HoldsAsync(() => Volatile.Read(ref received) == 16_000_000, "everything arrives");
    }

    [Fact]
    public async Task Large_messages_arrive_where_no_further_connection_can_be_opened()
    {
        var (dialler, listener) = await PairAsync(options => options with { MaxConnections = 1 });
        using var echo = listener.Handle("echo", (message, _) => new(message.Payload));

        for (var i = 0; i < 3; i++)
        {
            await EchoLargeAsync(dialler, listener);
        }

        Assert.Equal((0, 0), (LanesOf(dialler), LanesOf(listener)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_payload_that_its_requester_takes_back_early_arrives_as_it_was_sent_or_not_at_all(bool timesOut)
    {
        // Without heartbeats, one of which could be what a lane is stuck with.
        var (dialler, listener) = await PairAsync(
            options => options with { HeartbeatInterval = TimeSpan.FromMinutes(5), DeadLinkAfter = TimeSpan.FromMinutes(10) });
        using var echo = listener.Handle("echo", (message, _) => new(message.Payload));
        var torn = 0;
        var whole = 0;
        using var sink = listener.Handle("sink", (message, _) =>
        {
            Interlocked.Increment(ref message.Payload.Span.IndexOfAnyExcept((byte)7) < 0 ? ref whole : ref torn);
            return default;
        });
        await EchoLargeAsync(dialler, listener);
        await Eventually.HoldsAsync(() => LanesOf(dialler) > 0, "a bulk lane is open");
        using var giveUp = CancellationTokenSource.CreateLinkedTokenSource(Net.Token);
        var payloads = Enumerable.Range(0, 40).Select(_ => new byte[4 * 1024 * 1024]).ToList();
        payloads.ForEach(payload => payload.AsSpan().Fill(7));
        _wires.HoldSends();
        var options = timesOut ? new MessageOptions(Timeout: TimeSpan.FromSeconds(1)) : Patient;
        var requests = payloads.ConvertAll(payload => dialler.RequestAsync(listener.Peer, "sink", payload, options, giveUp.Token).AsTask());
        await Eventually.HoldsAsync(() => _wires.HoldsOne, "a lane is stuck");

        await (timesOut ? Task.CompletedTask : giveUp.CancelAsync());
        await Eventually.InTimeAsync(Task.WhenAll(requests.Select(request => request.ContinueWith(_ => { }, TaskScheduler.Default))));
        payloads.ForEach(payload => payload.AsSpan().Clear());
        _wires.LetSendsGo();

        await EchoLargeAsync(dialler, listener);
        Assert.Equal(0, Volatile.Read(ref torn));
        Assert.True(Volatile.Read(ref whole) < payloads.Count, "what had not begun to be sent was never sent");
    }

    private static int LanesOf(MessagingNode node) => node.Links is [var link] ? link.Lanes.Sum(lane => lane.Pieces.Lanes.Count) : 0;

    private static async Task EchoLargeAsync(MessagingNode from, MessagingNode to)
    {
        var payload = new byte[3_000_000];
        Random.Shared.NextBytes(payload);
        var reply = await Eventually.InTimeAsync(from.RequestAsync(to.Peer, "echo", payload, default, Net.Token).AsTask());
        Assert.Equal(ReplyOutcome.Replied, reply.Outcome);
        Assert.True(payload.AsSpan().SequenceEqual(reply.Payload.Span));
    }

    private Task<(MessagingNode Dialler, MessagingNode Listener)> PairAsync(Func<MessagingOptions, MessagingOptions>? change = null) =>
        _net.PairAsync(options => (change ?? (o => o))(options with { DefaultChannel = FourLanes }), _wires);
}
