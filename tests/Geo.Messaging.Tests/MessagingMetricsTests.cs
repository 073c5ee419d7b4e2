using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Geo.Messaging.Tests;

[Collection(ProcessWide.Name)]
public sealed class MessagingMetricsTests : IAsyncDisposable
{
    private readonly Net _net = new();
    private readonly FaultyTransport _wires = new();
    private readonly ConcurrentQueue<(string Name, double Value, Dictionary<string, object?> Tags)> _measured = [];

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Fact]
    public async Task What_a_lane_does_is_measured_by_peer_channel_and_lane()
    {
        using var listening = Listen();
        var (dialler, listener) = await _net.PairAsync(
            options => options with
            {
                HeartbeatInterval = TimeSpan.FromMilliseconds(20),
                Channels = [new ChannelOptions { Name = "bulk", Parallelism = 2, Lanes = LaneUse.ByKey }],
            },
            _wires);
        using var echo = listener.Handle("echo", (message, _) => new(message.Payload));
        await dialler.RequestAsync(listener.Peer, "echo", new byte[1000], new MessageOptions("bulk"), Net.Token);

        await Eventually.HoldsAsync(
            () => Of("geo.messaging.round_trip").Any(m => Equals(m.Tags["geo.channel"], "bulk")), "a round trip is measured");
        listening.RecordObservableInstruments();

        var bulk = Of("geo.messaging.sent_bytes").Where(m => Equals(m.Tags["geo.channel"], "bulk")).ToList();
        Assert.True(bulk.Sum(m => m.Value) > 1000);
        Assert.All(bulk, m => Assert.Equal(("eu/1", "eu"), (m.Tags["geo.remote"], m.Tags["geo.remote_cluster"])));
        Assert.Contains(Of("geo.messaging.sent"), m => m.Tags["geo.lane"] is 0 or 1);
        Assert.Equal(3, Of("geo.messaging.queued_bytes").Select(m => (m.Tags["geo.channel"], m.Tags["geo.lane"])).Distinct().Count());
        Assert.Contains(Of("geo.messaging.in_flight_budget"), m => m.Value > 0);
        Assert.Equal(1, Of("geo.messaging.links").Last().Value);
        Assert.All(Of("geo.messaging.round_trip"), m => Assert.InRange(m.Value, 0, 20));
    }

    [Fact]
    public async Task Namesakes_are_told_apart_by_their_clusters()
    {
        using var listening = Listen();
        var node = await _net.ListenAsync("us/1");
        using var client = await HostilePeer.JoinAsync(SocketTransport.Instance, node, "eu/1");
        var silo = await _net.StartAsync("eu/1");
        await Eventually.InTimeAsync(silo.JoinAsync(node.ListeningOn!, cancellationToken: Net.Token));
        await Eventually.HoldsAsync(() => node.Members.Count == 2, "both are linked");

        listening.RecordObservableInstruments();

        Assert.Equal(["", "eu"], Of("geo.messaging.links").Select(m => m.Tags["geo.remote_cluster"]).Order());
    }

    [Fact]
    public async Task Every_cluster_that_is_configured_has_its_number_of_links_and_keeps_it_when_there_is_none()
    {
        using var listening = Listen();
        var us = await _net.StartAsync("us/1");
        var eu = await _net.ListenAsync("eu/1");
        await using var messenger = new ClusterMessenger(us, new Dictionary<ClusterId, IReadOnlyList<PeerAddress>>
        {
            [new("us")] = [],
            [new("eu")] = [eu.ListeningOn!],
            [new("asia")] = [],
        });
        await Eventually.HoldsAsync(() => us.Members.Count == 1, "they are linked");
        Assert.Equal([("asia", 0), ("eu", 1)], ClusterLinks(listening));

        await eu.DisposeAsync();
        await Eventually.HoldsAsync(() => us.Members.Count == 0, "the link is gone");

        Assert.Equal([("asia", 0), ("eu", 0)], ClusterLinks(listening));
    }

    [Fact]
    public async Task Dialling_and_coming_back_are_counted()
    {
        using var listening = Listen();
        var (dialler, _) = await _net.PairAsync(transport: _wires);
        Assert.Equal(0, Of("geo.messaging.reconnects").Sum(m => m.Value));
        _wires.RefusesToConnect = true;

        _wires.CutAll();
        await Eventually.HoldsAsync(
            () => Of("geo.messaging.dials").Any(m => Equals(m.Tags["geo.outcome"], "failed")), "an attempt has failed");
        _wires.RefusesToConnect = false;

        await Eventually.HoldsAsync(() => Of("geo.messaging.reconnects").Sum(m => m.Value) == 1, "the link came back");
        Assert.Equal("eu/1", Of("geo.messaging.reconnects").Single().Tags["geo.remote"]);
    }

    [Fact]
    public async Task Requests_that_were_certainly_not_sent_are_counted_as_dropped()
    {
        using var listening = Listen();
        var (dialler, listener) = await _net.PairAsync(options => options with { MaxMessageBytes = 2000, MaxPendingRequests = 1 });
        var gate = new TaskCompletionSource();
        using var slow = listener.Handle("slow", async (_, _) =>
        {
            await gate.Task;
            return default;
        });

        await dialler.RequestAsync(new PeerId("nobody/1"), "slow", default, default, Net.Token);
        await dialler.RequestAsync(listener.Peer, "slow", new byte[2001], default, Net.Token);
        var first = dialler.RequestAsync(listener.Peer, "slow", default, default, Net.Token);
        await dialler.RequestAsync(listener.Peer, "slow", default, default, Net.Token);
        gate.SetResult();
        await first;

        Assert.Equal(
            ["NotConnected", "TooLarge", "too-many-requests"], Of("geo.messaging.dropped").Select(m => m.Tags["geo.reason"]).Order());
    }

    [Fact]
    public async Task What_arrives_is_counted_and_what_handlers_take_is_timed_with_how_they_ended()
    {
        using var listening = Listen();
        var listener = await _net.ListenAsync("us/1");
        var dialler = await _net.StartAsync("eu/1");
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        var gate = new TaskCompletionSource();
        using var echo = listener.Handle("echo", (message, _) => new(message.Payload));
        using var fails = listener.Handle("fails", (_, _) => throw new InvalidOperationException("it fails"));
        using var waits = listener.Handle("waits", async (_, token) =>
        {
            await gate.Task.WaitAsync(token);
            return default;
        });

        for (var i = 0; i < 3; i++)
        {
            await dialler.RequestAsync(listener.Peer, "echo", new byte[1000], default, Net.Token);
        }

        await dialler.RequestAsync(listener.Peer, "echo", new byte[200_000], default, Net.Token);
        await dialler.RequestAsync(listener.Peer, "fails", default, default, Net.Token);
        using var giveUp = CancellationTokenSource.CreateLinkedTokenSource(Net.Token);
        var waiting = dialler.RequestAsync(listener.Peer, "waits", default, default, giveUp.Token).AsTask();
        await Eventually.HoldsAsync(
            () =>
            {
                listening.RecordObservableInstruments();
                return Of("geo.messaging.running_handlers").LastOrDefault().Value == 1;
            },
            "a handler runs");
        Assert.Equal(1, Last("geo.messaging.pending_requests", "eu/1"));
        await giveUp.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        await Eventually.HoldsAsync(() => Of("geo.messaging.handled").Count() == 6, "all have ended");

        Assert.Equal(
            [("echo", "done", 4), ("fails", "failed", 1), ("waits", "given-up", 1)],
            Of("geo.messaging.handled").GroupBy(m => ((string)m.Tags["geo.service"]!, (string)m.Tags["geo.outcome"]!))
                .Select(group => (group.Key.Item1, group.Key.Item2, (int)group.Sum(m => m.Value))).Order());
        Assert.Equal(6, Of("geo.messaging.handler_duration").Count());
        Assert.All(Of("geo.messaging.handler_duration"), m => Assert.InRange(m.Value, 0, 20));
        Assert.True(Of("geo.messaging.received").Sum(m => m.Value) >= 6);
        Assert.InRange(Of("geo.messaging.received_bytes").Sum(m => m.Value), 203_000, 300_000);
        Assert.Contains(Of("geo.messaging.handshakes"), m => Equals(m.Tags["geo.outcome"], "accepted"));
    }

    [Fact]
    public async Task A_connection_that_is_cut_off_is_counted_with_the_reason()
    {
        using var listening = Listen();
        var node = await _net.ListenAsync("us/1", options => options with { HandshakeTimeout = TimeSpan.FromMilliseconds(100) });

        using var silent = await SocketTransport.Instance.ConnectAsync(node.ListeningOn!, Net.Token);

        await Eventually.HoldsAsync(
            () => Of("geo.messaging.cut_off").Any(m => Equals(m.Tags["geo.reason"], "handshake-timeout")), "it is cut off");
    }

    [Fact]
    public async Task Whatever_is_refused_is_counted_with_its_reason()
    {
        using var listening = Listen();
        var node = await _net.ListenAsync("us/1");
        using var peer = await HostilePeer.JoinAsync(SocketTransport.Instance, node, "eu/1");

        using var again = await HostilePeer.ConnectAsync(SocketTransport.Instance, node, "eu/1", link: 1);

        Assert.Equal(RefusalReason.AlreadyConnected, Assert.IsType<Refusal>(await again.AnswerAsync()).Reason);
        Assert.Contains(Of("geo.messaging.refusals"), m => Equals(m.Tags["geo.reason"], nameof(RefusalReason.AlreadyConnected)));
    }

    [Fact]
    public void What_was_received_too_late_for_its_link_is_counted()
    {
        using var listening = Listen();
        var node = Nodes.Of(new MessagingOptions { Peer = new PeerId("us/1") });
        using var echo = node.Handlers.Add(new ServiceHandler("echo", (message, _) => new(message.Payload), clustersOnly: false));
        var link = new LinkContext(
            node, new PeerIdentity(new PeerId("eu/1"), default, "eu/1", 1),
            new LinkTerms(1, new LanePlan([new("default", 1)]), 1, 4096, 4096));
        var lane = new LaneId("default", 0);
        var inbound = new InboundMessages(link, new HandlerCalls(link, lane, new Replies(link, lane, null!)), () => { });

        inbound.Add(new FrameHeader(FrameKind.OneWay, 0, 4, 1), "echo"u8, new byte[1]);
        inbound.Close();

        Assert.False(inbound.Publish());
        Assert.Equal("link-down", Assert.Single(Of("geo.messaging.dropped")).Tags["geo.reason"]);
    }

    private IEnumerable<(string Name, double Value, Dictionary<string, object?> Tags)> Of(string name) =>
        _measured.Where(m => m.Name == name && Equals(m.Tags["geo.peer"], "us/1"));

    private (string Cluster, double Links)[] ClusterLinks(MeterListener listening)
    {
        _measured.Clear();
        listening.RecordObservableInstruments();
        return Of("geo.messaging.cluster_links").Select(m => ((string)m.Tags["geo.remote_cluster"]!, m.Value)).Order().ToArray();
    }

    private double Last(string name, string peer) => _measured.Last(m => m.Name == name && Equals(m.Tags["geo.peer"], peer)).Value;

    private MeterListener Listen()
    {
        var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name == MessagingMetrics.MeterName)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Add(instrument, value, tags));
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Add(instrument, value, tags));
        listener.Start();
        return listener;
    }

    private void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
        _measured.Enqueue((instrument.Name, value, tags.ToArray().ToDictionary(tag => tag.Key, tag => tag.Value)));
}
