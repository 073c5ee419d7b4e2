using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Text;
using Microsoft.Extensions.Logging;

namespace Geo.Messaging.Tests;

public sealed class ChannelTests : IAsyncDisposable
{
    private static readonly ChannelOptions Bulk = new() { Name = "bulk", Parallelism = 3 };
    private static readonly ChannelOptions ByKey = Bulk with { Lanes = LaneUse.ByKey };
    private static readonly ChannelOptions Gossip = new() { Name = "gossip", Parallelism = 1, Monotonic = true };

    private readonly Net _net = new();
    private readonly FaultyTransport _wires = new();

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Fact]
    public async Task A_channel_whose_keys_choose_the_lane_has_all_its_connections_at_once_and_both_sides_agree()
    {
        var (dialler, listener) = await _net.PairAsync(options => options with { Channels = [ByKey, Gossip] }, _wires);

        string[] lanes = ["default/0", "bulk/0", "bulk/1", "bulk/2", "gossip/0"];
        Assert.Equal(5, _wires.Connects);
        Assert.Equal(lanes, dialler.Links.Single().Lanes.Select(lane => lane.Id.ToString()));
        Assert.Equal(lanes, listener.Links.Single().Lanes.Select(lane => lane.Id.ToString()));
    }

    [Fact]
    public async Task A_key_keeps_its_lane_and_many_keys_use_all_lanes_of_their_channel()
    {
        var (dialler, _) = await _net.PairAsync(options => options with { Channels = [ByKey, Gossip] });
        var link = dialler.Links.Single();

        var used = Enumerable.Range(0, 1000).GroupBy(key => link.LaneFor(1, PartitionKey.From(key)).Id.ToString()).ToList();
        Assert.Equal(["bulk/0", "bulk/1", "bulk/2"], used.Select(group => group.Key).Order(StringComparer.Ordinal));
        Assert.All(used, group => Assert.InRange(group.Count(), 250, 420));
        Assert.All(
            new[] { PartitionKey.From("text"), PartitionKey.From(7L), PartitionKey.From(Guid.NewGuid()), PartitionKey.From("bytes"u8) },
            key => Assert.Same(link.LaneFor(1, key), link.LaneFor(1, key)));
    }

    [Fact]
    public async Task Messages_without_a_key_use_all_lanes_of_their_channel()
    {
        var (dialler, listener) = await _net.PairAsync(options => options with { Channels = [ByKey, Gossip] });
        using var there = listener.Handle("echo", (message, _) => new(message.Payload));
        var used = new ConcurrentDictionary<int, int>();
        using var listening = new MeterListener();
        listening.InstrumentPublished = (instrument, meter) =>
        {
            if (instrument.Name == "geo.messaging.received")
            {
                meter.EnableMeasurementEvents(instrument);
            }
        };
        listening.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            if (tags.ToArray().ToDictionary() is var found && found["geo.peer"] is "eu/1" && found["geo.channel"] is "bulk")
            {
                used.AddOrUpdate((int)found["geo.lane"]!, (int)value, (_, before) => before + (int)value);
            }
        });
        listening.Start();

        for (var i = 0; i < 300; i++)
        {
            await dialler.RequestAsync(listener.Peer, "echo", new byte[9], new MessageOptions("bulk"), Net.Token);
        }

        Assert.Equal([0, 1, 2], used.Keys.Order());
        Assert.All(used.Values, count => Assert.InRange(count, 40, 160));
    }

    [Fact]
    public async Task A_peer_that_does_not_know_a_channel_carries_its_messages_all_the_same()
    {
        var listener = await _net.ListenAsync("eu/1");
        var dialler = await _net.StartAsync("us/1", options => options with { Channels = [Bulk] });
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(listener, dialler);
        using var there = listener.Handle("echo", (message, _) => new(message.Payload));
        using var here = dialler.Handle("echo", (message, _) => new(message.Payload));

        var onBulk = new MessageOptions(Channel: "bulk", PartitionKey: PartitionKey.From(1));
        Assert.Equal(ReplyOutcome.Replied, (await dialler.RequestAsync(listener.Peer, "echo", new byte[9], onBulk, Net.Token)).Outcome);
        Assert.Equal(ReplyOutcome.Replied, (await listener.RequestAsync(dialler.Peer, "echo", new byte[9], onBulk, Net.Token)).Outcome);
    }

    [Fact]
    public void An_unknown_channel_means_the_default_one_and_is_logged_once()
    {
        var log = new CountingLogger();
        var table = new ChannelTable(new MessagingOptions { Peer = new PeerId("us/1"), Channels = [Bulk] }, log);

        Assert.Equal([0, 1, 0, 0, 0], new[] { null, "bulk", "bulky", "bulky", "default" }.Select(table.Find));
        var line = Assert.Single(log.Lines);
        Assert.Contains("'bulky'", line, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, LaneUse.Adaptive, false)]
    [InlineData(2, LaneUse.Adaptive, true)]
    [InlineData(3, LaneUse.ByKey, false)]
    [InlineData(4, LaneUse.Adaptive, true)]
    public async Task Order_per_key_holds_and_nothing_comes_twice_over_random_channels_lanes_sizes_and_reconnections(
        int seed, LaneUse lanes, bool fromTheListener)
    {
        // Gathers little, so that much is held back and waits.
        var (one, other) = await _net.PairAsync(
            options => options with
            {
                Channels = [Bulk with { Lanes = lanes }],
                DefaultChannel = new() { Parallelism = 2, Lanes = lanes },
                MaxGatheredBytes = 1_000_000,
                MinInFlightBytes = 512 * 1024,
                ReconnectDelay = TimeSpan.FromMilliseconds(1),
            },
            _wires);
        var (dialler, listener) = fromTheListener ? (other, one) : (one, other);
        const int Keys = 24;
        const int Cuts = 4;
        const int BetweenCuts = 3000;
        var last = new ConcurrentDictionary<int, int>();
        var once = new ConcurrentDictionary<(int, int), bool>();
        var excused = new ConcurrentDictionary<int, int>();
        var faults = new ConcurrentQueue<string>();
        var (received, cuts) = (0, 0);
        using var there = listener.Handle("ordered", (message, _) =>
        {
            var (key, number) = (BitConverter.ToInt32(message.Payload.Span), BitConverter.ToInt32(message.Payload.Span[4..]));
            if (!once.TryAdd((key, number), true))
            {
                faults.Enqueue($"key {key}: {number} twice");
            }

            // Handlers start in order; the one that a cut link leaves running goes on beside those of the next link, once a cut.
            if (last.GetValueOrDefault(key) is var before && number <= before)
            {
                var cut = Volatile.Read(ref cuts);
                if (excused.GetValueOrDefault(key) >= cut)
                {
                    faults.Enqueue($"key {key}: {number} after {before}, {cut} cuts");
                }

                excused[key] = cut;
            }

            last[key] = number;
            Interlocked.Increment(ref received);
            return default;
        });

        var senders = Enumerable.Range(0, Keys).Select(key => Task.Run(async () =>
        {
            var random = new Random((seed * 1000) + key);
            var options = new MessageOptions(key % 2 == 0 ? "bulk" : null, PartitionKey.From(key));
            for (var number = 1; number <= 1500 || Volatile.Read(ref cuts) < Cuts; number++)
            {
                var payload = new byte[random.Next(50) == 0 ? random.Next(60_000, 500_000) : random.Next(8, 400)];
                BitConverter.TryWriteBytes(payload, key);
                BitConverter.TryWriteBytes(payload.AsSpan(4), number);
                while (await dialler.SendAsync(listener.Peer, "ordered", payload, options, Net.Token) != SendOutcome.Queued)
                {
                    // A message that was certainly not sent may be sent again; one that was queued may be lost with the link.
                    await Task.Delay(1, Net.Token);
                }
            }
        })).ToList();
        for (var cut = 1; cut <= Cuts; cut++)
        {
            await Eventually.HoldsAsync(() => Volatile.Read(ref received) > cut * BetweenCuts, "messages flow");
            Volatile.Write(ref cuts, cut);
            _wires.CutAll();
        }

        await Eventually.InTimeAsync(Task.WhenAll(senders));
        await Eventually.HoldsAsync(
            () => dialler.Links is [{ IsOpen: true } link] && link.Lanes.All(lane => lane.Sender.QueuedBytes == 0), "everything has left");
        Assert.Empty(faults);
        Assert.True(received > Cuts * BetweenCuts);
    }

    [Fact]
    public async Task A_stuck_channel_does_not_hold_up_another()
    {
        var (dialler, listener) = await _net.PairAsync(
            options => options with { Channels = [Bulk with { Parallelism = 1, QueueBytes = 4096 }] }, _wires);
        using var there = listener.Handle("echo", (message, _) => new(message.Payload));
        _wires.HoldSends(only: 1);

        var bulk = new MessageOptions("bulk");
        while (dialler.TrySend(listener.Peer, "echo", new byte[1000], bulk) == SendOutcome.Queued)
        {
        }

        Assert.Equal(SendOutcome.Full, dialler.TrySend(listener.Peer, "echo", new byte[1000], bulk));
        Assert.Equal(ReplyOutcome.Replied, (await dialler.RequestAsync(listener.Peer, "echo", new byte[1000], default, Net.Token)).Outcome);
    }

    [Fact]
    public async Task A_request_on_a_waiting_channel_waits_for_room_within_its_time_out()
    {
        var listener = await _net.ListenAsync("eu/1");
        var dialler = await _net.StartAsync(
            "us/1",
            options => options with { DefaultChannel = new() { Parallelism = 1, QueueMessages = 1, Overflow = OverflowPolicy.Wait } },
            _wires);
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        using var there = listener.Handle("echo", (message, _) => new(message.Payload));

        var replies = await Eventually.InTimeAsync(Task.WhenAll(Enumerable.Range(0, 200).Select(
            i => dialler.RequestAsync(listener.Peer, "echo", Encoding.UTF8.GetBytes($"{i}"), default, Net.Token).AsTask())));
        Assert.Equal(Enumerable.Range(0, 200).Select(i => $"{i}"), replies.Select(reply => Encoding.UTF8.GetString(reply.Payload.Span)));

        _wires.HoldSends();
        while (dialler.TrySend(listener.Peer, "echo", default) == SendOutcome.Queued)
        {
        }

        // The lane takes one more into the write that is held, if it had not come to that yet: a request that gets its place has no answer.
        var full = new MessageOptions(Timeout: TimeSpan.FromMilliseconds(50));
        var late = await dialler.RequestAsync(listener.Peer, "echo", default, full, Net.Token);
        late = late.Outcome == ReplyOutcome.Unknown ? await dialler.RequestAsync(listener.Peer, "echo", default, full, Net.Token) : late;
        Assert.Equal(ReplyOutcome.Refused, late.Outcome);
        Assert.Contains("had no room for 0.05 s", late.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_dropped_is_counted_by_channel_lane_and_reason()
    {
        var counted = new ConcurrentDictionary<string, long>();
        using var listening = new MeterListener();
        listening.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Name == "geo.messaging.dropped")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        listening.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            var all = tags.ToArray().ToDictionary(tag => tag.Key, tag => tag.Value);
            if (Equals(all["geo.peer"], "metered/1"))
            {
                counted.AddOrUpdate(
                    $"{all.GetValueOrDefault("geo.channel")}/{all.GetValueOrDefault("geo.lane")} {all["geo.reason"]}", value,
                    (_, sum) => sum + value);
            }
        });
        listening.Start();
        var listener = await _net.ListenAsync("eu/1");
        var dialler = await _net.StartAsync(
            "metered/1",
            // Room for two: what the writer has taken fills the lane until it is sent, and one more must wait to be superseded.
            options => options with
            {
                Channels = [Gossip with { QueueMessages = 2 }],
                DefaultChannel = new() { Parallelism = 1, QueueMessages = 1 },
            },
            _wires);
        Assert.Equal(SendOutcome.NotConnected, dialler.TrySend(listener.Peer, "x", default));
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        _wires.HoldSends();

        while (dialler.TrySend(listener.Peer, "x", default) == SendOutcome.Queued)
        {
        }

        var gossip = new MessageOptions("gossip", PartitionKey.From(1));
        dialler.TrySend(listener.Peer, "x", default, gossip);
        await Eventually.HoldsAsync(
            () => dialler.TrySend(listener.Peer, "x", default, gossip) != SendOutcome.NotConnected
                && counted.ContainsKey("gossip/0 superseded"),
            "a newer message supersedes a waiting one");

        Assert.Equal(1, counted["/ NotConnected"]);
        Assert.Equal(1, counted["default/0 Full"]);
    }

    private sealed class CountingLogger : ILogger
    {
        public List<string> Lines { get; } = [];

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            Lines.Add(formatter(state, exception));
    }
}
