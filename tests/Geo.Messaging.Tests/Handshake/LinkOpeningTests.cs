using System.Net;
using System.Net.Sockets;

namespace Geo.Messaging.Tests;

public sealed class LinkOpeningTests : IAsyncDisposable
{
    private readonly Net _net = new();

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Fact]
    public async Task A_port_in_use_is_one_clear_error()
    {
        var first = await _net.ListenAsync("eu/1");

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => _net.ListenAsync("eu/2", options => options with { ListenOn = first.ListeningOn }));

        Assert.Contains($"Cannot listen on {first.ListeningOn}: the port is in use", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("0.0.0.0:0")]
    [InlineData("eu.example.org:4000")]
    public async Task Beyond_the_machine_nothing_is_opened_unprotected_unless_allowed_by_name(string address)
    {
        var node = await _net.StartAsync("us/1");
        var dial = Assert.Throws<GeoConfigurationException>(() => node.Connect(PeerAddress.Parse(address)));
        var listen = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => _net.StartAsync("us/2", options => options with { ListenOn = PeerAddress.Parse(address) }));

        Assert.Contains("AllowInsecure", dial.Message, StringComparison.Ordinal);
        Assert.Contains("AllowInsecure", listen.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Beyond_the_machine_is_allowed_by_name()
    {
        var node = await _net.StartAsync(
            "us/1", options => options with { ListenOn = PeerAddress.Parse("0.0.0.0:0"), AllowInsecure = true });

        Assert.NotEqual(0, node.ListeningOn!.Port);
    }

    [Fact]
    public async Task Options_out_of_range_are_all_named_in_one_error()
    {
        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => _net.StartAsync(
            "us/1",
            options => options with
            {
                MaxMessageBytes = 1,
                HeartbeatInterval = TimeSpan.FromSeconds(4),
                DefaultChannel = new ChannelOptions { Parallelism = 1, QueueMessages = 0 },
            }));

        Assert.Contains("MaxMessageBytes", error.Message, StringComparison.Ordinal);
        Assert.Contains("DeadLinkAfter", error.Message, StringComparison.Ordinal);
        Assert.Contains("QueueMessages", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_clusters_with_one_id_refuse_each_other_and_both_say_so()
    {
        var listener = await _net.ListenAsync("eu/1");
        var impostor = await _net.StartAsync("eu/9");
        var atListener = Refusals.Next(listener);
        var atImpostor = Refusals.Next(impostor);

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Eventually.InTimeAsync(impostor.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));

        Assert.Contains("two clusters claim the id eu", error.Message, StringComparison.Ordinal);
        var (here, there) = (await Eventually.InTimeAsync(atListener), await Eventually.InTimeAsync(atImpostor));
        Assert.Equal((RefusalReason.DuplicateClusterId, false), (here.Reason, here.RefusedByRemote));
        Assert.Equal((RefusalReason.DuplicateClusterId, true), (there.Reason, there.RefusedByRemote));
        Assert.Empty(listener.Members);
    }

    [Fact]
    public async Task A_third_cluster_that_takes_the_id_of_a_connected_one_is_refused()
    {
        var hub = await _net.ListenAsync("us/1");
        var eu = await _net.StartAsync("eu/1");
        await Eventually.InTimeAsync(eu.JoinAsync(hub.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(hub, eu);
        var impostor = await _net.StartAsync("eu/9");

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Eventually.InTimeAsync(impostor.JoinAsync(hub.ListeningOn!, cancellationToken: Net.Token)));

        Assert.Contains("that of eu/1 and that of eu/9", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Silos_of_one_cluster_that_share_its_instance_may_meet()
    {
        var first = await _net.ListenAsync("eu/1", options => options with { ClusterInstance = "production" });
        var second = await _net.StartAsync("eu/2", options => options with { ClusterInstance = "production" });

        Assert.Equal(first.Peer, await Eventually.InTimeAsync(second.JoinAsync(first.ListeningOn!, cancellationToken: Net.Token)));
    }

    [Fact]
    public async Task An_entry_point_of_another_cluster_than_the_one_asked_for_is_refused()
    {
        var listener = await _net.ListenAsync("eu/1");
        var dialler = await _net.StartAsync("us/1");

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, new ClusterId("asia"), Net.Token)));

        Assert.Contains("entry point of cluster asia", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_node_that_dials_itself_is_told_so()
    {
        var node = await _net.ListenAsync("us/1");

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Eventually.InTimeAsync(node.JoinAsync(node.ListeningOn!, cancellationToken: Net.Token)));

        Assert.Contains("dialled itself", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_peers_that_dial_each_other_at_once_end_with_one_link_that_stays()
    {
        for (var round = 0; round < 20; round++)
        {
            await using var net = new Net();
            var (a, b) = (await net.ListenAsync("eu/1"), await net.ListenAsync("us/1"));
            using var echoA = a.Handle("echo", (message, _) => new(message.Payload));
            using var echoB = b.Handle("echo", (message, _) => new(message.Payload));
            var downs = 0;
            a.MembersChanged += change => Interlocked.Add(ref downs, change.IsUp ? 0 : 1);
            b.MembersChanged += change => Interlocked.Add(ref downs, change.IsUp ? 0 : 1);

            await Eventually.InTimeAsync(Task.WhenAll(
                Task.Run(() => a.JoinAsync(b.ListeningOn!, cancellationToken: Net.Token)),
                Task.Run(() => b.JoinAsync(a.ListeningOn!, cancellationToken: Net.Token))));
            await Net.ConnectedAsync(a, b);
            await Net.ConnectedAsync(b, a);

            foreach (var (from, to) in new[] { (a, b), (b, a) })
            {
                var reply = await from.RequestAsync(to.Peer, "echo", new byte[1], default, Net.Token);
                Assert.True(reply.Outcome == ReplyOutcome.Replied, $"round {round}, {from.Peer}: {reply.Outcome}, {reply.Reason}");
            }

            Assert.Equal((1, 1, 0), (a.Members.Count, b.Members.Count, downs));
        }
    }

    [Fact]
    public async Task A_new_start_of_a_peer_replaces_the_old_one_and_the_old_one_cannot_come_back_beside_it()
    {
        var hub = await _net.ListenAsync("us/1");
        var old = await _net.StartAsync("eu/1");
        await Eventually.InTimeAsync(old.JoinAsync(hub.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(hub, old);
        var refused = Refusals.Next(old);
        var before = hub.Members.Single().Incarnation;
        await Eventually.HoldsAsync(
            () => TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds() > before >> 16, "the clock has moved on");

        var restarted = await _net.StartAsync("eu/1");
        await Eventually.InTimeAsync(restarted.JoinAsync(hub.ListeningOn!, cancellationToken: Net.Token));

        await Eventually.HoldsAsync(() => hub.Members is [{ } only] && only.Incarnation > before, "the new start has replaced the old");
        Assert.Equal(RefusalReason.PeerIdInUse, (await Eventually.InTimeAsync(refused)).Reason);
    }

    [Fact]
    public async Task Something_that_does_not_speak_the_protocol_is_cut_off_and_the_node_serves_on()
    {
        var listener = await _net.ListenAsync("eu/1");
        var refusal = Refusals.Next(listener);
        using var browser = await DialAsync(listener);
        await browser.SendAsync("GET / HTTP/1.1\r\nHost: eu\r\n\r\n"u8.ToArray(), Net.Token);

        Assert.Equal(RefusalReason.Malformed, (await Eventually.InTimeAsync(refusal)).Reason);
        var dialler = await _net.StartAsync("us/1");
        Assert.Equal(listener.Peer, await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));
    }

    [Fact]
    public async Task A_frame_above_the_limit_disconnects_its_sender_with_the_reason()
    {
        var listener = await _net.ListenAsync("eu/1", options => options with { MaxMessageBytes = 2_000 });
        var down = new TaskCompletionSource<MembershipChange>();
        listener.MembersChanged += change =>
        {
            if (!change.IsUp)
            {
                down.TrySetResult(change);
            }
        };
        using var liar = await DialAsync(listener);
        var identity = new PeerIdentity(new PeerId("liar"), default, "liar", 1);
        await liar.SendAsync(
            Handshake.Write(
                new Hello(
                    WireVersions.Current, identity, default, 1, new LanePlan([new("default", 1)]), new LaneId("default", 0),
                    2_000)), Net.Token);
        var frames = new byte[2 * FrameHeader.Size];
        new FrameHeader(FrameKind.Ready, 0, 0, 0).Write(frames);
        new FrameHeader(FrameKind.OneWay, 0, 4, 2_001).Write(frames.AsSpan(FrameHeader.Size));
        await liar.SendAsync(frames, Net.Token);

        var change = await Eventually.InTimeAsync(down.Task);
        Assert.Contains("too large: 2001 bytes", change.Reason, StringComparison.Ordinal);
        var everything = new List<byte>();
        var buffer = new byte[4096];
        int received;
        while ((received = await liar.ReceiveAsync(buffer, Net.Token)) > 0)
        {
            everything.AddRange(buffer.AsSpan(0, received));
        }

        Assert.Contains("too large: 2001 bytes", System.Text.Encoding.UTF8.GetString([.. everything]), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_dialler_that_never_shakes_hands_is_cut_off_in_time()
    {
        var listener = await _net.ListenAsync("eu/1", options => options with { HandshakeTimeout = TimeSpan.FromMilliseconds(100) });
        using var silent = await DialAsync(listener);

        // An end or a reset: either way it is over.
        var over = silent.ReceiveAsync(new byte[1])
            .ContinueWith(task => !task.IsCompletedSuccessfully || task.Result == 0, TaskScheduler.Default);

        Assert.True(await Eventually.InTimeAsync(over));
    }

    [Fact]
    public async Task Connections_beyond_the_number_allowed_are_refused()
    {
        var listener = await _net.ListenAsync("eu/1", options => options with { MaxConnections = 1 });
        var first = await _net.StartAsync("us/1");
        await Eventually.InTimeAsync(first.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        var second = await _net.StartAsync("us/2", options => options with { ClusterInstance = "us/1" });
        var refusal = Refusals.Next(second);

        second.Connect(listener.ListeningOn!);

        Assert.Equal(RefusalReason.TooManyConnections, (await Eventually.InTimeAsync(refusal)).Reason);
    }

    [Fact]
    public async Task A_peer_that_starts_anew_is_let_in_where_the_others_have_all_connections_but_those_of_its_former_start()
    {
        static MessagingOptions FourLanes(MessagingOptions options) =>
            options with { DefaultChannel = new ChannelOptions { Parallelism = 4, Lanes = LaneUse.ByKey } };

        // Two peers have eight: nobody may have eight more beside them.
        var hub = await _net.ListenAsync("us/1", options => options with { MaxConnections = 12 });
        var other = await _net.StartAsync("asia/1", FourLanes);
        await Eventually.InTimeAsync(other.JoinAsync(hub.ListeningOn!, cancellationToken: Net.Token));
        long last = 0;
        for (var start = 0; start < 3; start++)
        {
            await Eventually.HoldsAsync(
                () => TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds() > last >> 16, "the clock has moved on");
            var started = await _net.StartAsync("eu/1", FourLanes);

            await Eventually.InTimeAsync(started.JoinAsync(hub.ListeningOn!, cancellationToken: Net.Token));

            await Eventually.HoldsAsync(
                () => hub.Members.Any(member => member.Peer == started.Peer && member.Incarnation > last), "the new start is linked");
            last = hub.Members.Single(member => member.Peer == started.Peer).Incarnation;
        }
    }

    [Fact]
    public async Task A_connection_not_needed_any_more_when_its_dialler_takes_it_into_use_is_refused_with_a_reason()
    {
        var node = await _net.ListenAsync("us/1");
        var refusal = Refusals.Next(node);
        var plan = new LanePlan([new("default", 3, ByKey: true)]);
        using var first = await HostilePeer.ConnectAsync(SocketTransport.Instance, node, "eu/1", plan);
        await first.OpenAsync();
        using var second = await HostilePeer.ConnectAsync(SocketTransport.Instance, node, "eu/1", plan, lane: 1);
        using var again = await HostilePeer.ConnectAsync(SocketTransport.Instance, node, "eu/1", plan, lane: 1);

        await second.OpenAsync();
        await again.OpenAsync();

        Assert.Equal(RefusalReason.UnknownLink, (await Eventually.InTimeAsync(refusal)).Reason);
    }

    [Fact]
    public async Task A_connection_that_is_not_needed_because_the_pair_is_connected_is_closed_at_once()
    {
        var node = await _net.ListenAsync("us/1");
        using var remote = await HostilePeer.JoinAsync(SocketTransport.Instance, node, "eu/1");
        using var listener = SocketTransport.Instance.Listen(PeerAddress.Loopback());

        node.Connect(listener.Address);
        using var wire = await listener.AcceptAsync(Net.Token);
        await HandshakeStream.ReadHelloAsync(wire);
        await HandshakeStream.WriteAsync(
            wire, Handshake.Write(new Refusal(RefusalReason.AlreadyConnected, "connected", new PeerId("eu/1"))));

        await Eventually.InTimeAsync(HandshakeStream.HungUpAsync(wire));
        Assert.Single(node.Members);
    }

    [Fact]
    public async Task Accepting_goes_on_whatever_goes_wrong_with_one_connection()
    {
        var wires = new ThrowingListener();
        var listener = await _net.ListenAsync("eu/1", transport: wires);
        var dialler = await _net.StartAsync("us/1");

        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));

        Assert.True(wires.Accepted > 3);
    }

    [Fact]
    public async Task An_address_is_dialled_until_somebody_listens_there()
    {
        var early = await _net.ListenAsync("eu/1");
        var address = early.ListeningOn!;
        await early.DisposeAsync();
        var dialler = await _net.StartAsync("us/1");
        var join = dialler.JoinAsync(address, cancellationToken: Net.Token);
        Assert.False(join.IsCompleted);

        var late = await _net.StartAsync("eu/2", options => options with { ListenOn = address });

        Assert.Equal(late.Peer, await Eventually.InTimeAsync(join));
    }

    [Fact]
    public async Task Dialling_goes_on_however_often_it_has_failed()
    {
        // Beyond 1,024 attempts a doubled delay is no longer a number.
        var wires = new FaultyTransport { RefusesToConnect = true };
        var dialler = await _net.StartAsync(
            "us/1",
            options => options with { ReconnectDelay = TimeSpan.FromMilliseconds(1), MaxReconnectDelay = TimeSpan.FromMilliseconds(1) },
            wires);

        dialler.Connect(PeerAddress.Loopback(1));

        await Eventually.HoldsAsync(() => wires.Attempts > 1_100, "1,100 attempts have failed");
    }

    [Fact]
    public async Task A_join_that_waits_when_the_node_stops_ends_with_an_error()
    {
        var dialler = await _net.StartAsync("us/1");
        var join = dialler.JoinAsync(PeerAddress.Loopback(1), cancellationToken: Net.Token);

        await dialler.DisposeAsync();

        await Assert.ThrowsAsync<GeoUnavailableException>(() => Eventually.InTimeAsync(join));
    }

    // Throws something of its own the first times.
    private sealed class ThrowingListener : IWireTransport
    {
        public int Accepted { get; private set; }

        public IWireListener Listen(PeerAddress address) => new Listener(this, SocketTransport.Instance.Listen(address));

        public ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken) =>
            SocketTransport.Instance.ConnectAsync(address, cancellationToken);

        private sealed class Listener(ThrowingListener owner, IWireListener inner) : IWireListener
        {
            public PeerAddress Address => inner.Address;

            public async ValueTask<IWireConnection> AcceptAsync(CancellationToken cancellationToken) =>
                ++owner.Accepted > 3
                    ? await inner.AcceptAsync(cancellationToken)
                    : throw new InvalidOperationException("not this one");

            public void Dispose() => inner.Dispose();
        }
    }

    private static async Task<Socket> DialAsync(MessagingNode listener)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, listener.ListeningOn!.Port, Net.Token);
        return socket;
    }
}
