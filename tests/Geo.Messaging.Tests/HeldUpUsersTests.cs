using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>Users' code that blocks, throws, or holds its own context up holds up nobody else, and no node that stops.</summary>
public sealed class HeldUpUsersTests : IAsyncDisposable
{
    private const int LargeBytes = 1_000_000;

    private static readonly LanePlan OneLane = new([new("default", 1)]);

    private readonly Net _net = new();
    private readonly ManualResetEventSlim _gate = new();

    public async ValueTask DisposeAsync()
    {
        _gate.Set();
        await _net.DisposeAsync();
        _gate.Dispose();
    }

    [Fact]
    public async Task Large_messages_go_although_the_first_came_from_a_context_that_is_held_up()
    {
        var (dialler, listener) = await _net.PairAsync();
        using var there = listener.Handle("count", (message, _) => new(new byte[] { (byte)(message.Payload.Length / LargeBytes) }));
        await Task.Run(
            () =>
            {
                SynchronizationContext.SetSynchronizationContext(new HeldUpContext());
                _ = dialler.RequestAsync(listener.Peer, "count", new byte[LargeBytes], default, Net.Token).AsTask();
            },
            Net.Token);

        var reply = await Eventually.InTimeAsync(
            dialler.RequestAsync(listener.Peer, "count", new byte[LargeBytes], default, Net.Token).AsTask());

        Assert.Equal((ReplyOutcome.Replied, 1), (reply.Outcome, reply.Payload.Span[0]));
    }

    [Fact]
    public async Task A_listener_of_refusals_that_blocks_keeps_nobody_out()
    {
        var transport = new AtOnceTransport(
            [new(HelloOf("us/1", new(77, 77))), new(HelloOf("us/2", WireVersions.Current), Conversation.Ready())]);
        await using var node = NodeOver(transport, NullLoggerFactory.Instance);
        var blocked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        node.LinkRefused += _ =>
        {
            blocked.TrySetResult();
            _gate.Wait(Net.Token);
        };

        await node.StartAsync(Net.Token);

        await Eventually.InTimeAsync(blocked.Task);
        await Eventually.HoldsAsync(() => node.Members.Count == 1, "the one that fits is linked");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_callback_at_the_stop_that_blocks_or_throws_keeps_no_node_from_stopping(bool throws)
    {
        var (dialler, listener) = await _net.PairAsync();
        // Not disposed: that would wait for it.
        _ = listener.Stopping.Register(() =>
        {
            if (throws)
            {
                throw new InvalidOperationException("the user's");
            }

            _gate.Wait(Net.Token);
        });

        await Eventually.InTimeAsync(listener.LeaveAsync(Net.Token));

        await Eventually.HoldsAsync(() => dialler.Members.Count == 0, "the remote sees the link go");
        Assert.True(listener.Stopping.IsCancellationRequested);
    }

    [Fact]
    public async Task A_listener_that_throws_keeps_no_other_from_hearing()
    {
        var heard = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        Action<int>? listeners = _ => throw new InvalidOperationException("the first");
        listeners += heard.SetResult;

        new EventFeed<int>(() => listeners, NullLogger.Instance).Add(7);

        Assert.Equal(7, await Eventually.InTimeAsync(heard.Task));
    }

    [Fact]
    public async Task A_logger_that_throws_keeps_no_link_from_being_used()
    {
        var listener = await _net.ListenAsync("eu/1");
        using var logger = new Throwing();
        await using var dialler = new MessagingNode(
            new MessagingOptions
            {
                Peer = new PeerId("us/1"),
                Cluster = new ClusterId("us"),
                ReconnectDelay = TimeSpan.FromMilliseconds(20),
            },
            TimeProvider.System, logger, SocketTransport.Instance, WireVersions.Current);
        await dialler.StartAsync(Net.Token);
        _ = dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token);

        await Eventually.HoldsAsync(
            async () => (await dialler.RequestAsync(listener.Peer, "nothing", default, default, Net.Token)).Reason is { } reason
                && reason.Contains("has no service", StringComparison.Ordinal),
            "the pair is linked");
        await dialler.DisconnectAsync(listener.Peer);
        await Eventually.HoldsAsync(() => dialler.Members.Count == 1 && logger.Thrown > 2, "and again");
    }

    [Fact]
    public async Task A_request_whose_time_is_over_when_its_full_lane_ends_is_refused()
    {
        var (wires, time) = (new FaultyTransport(), new JumpingTime());
        var listener = await _net.ListenAsync("eu/1");
        await using var dialler = new MessagingNode(
            new MessagingOptions
            {
                Peer = new PeerId("us/1"),
                Cluster = new ClusterId("us"),
                DefaultChannel = new() { Parallelism = 1, QueueMessages = 1, Overflow = OverflowPolicy.Wait },
            },
            time, NullLoggerFactory.Instance, wires, WireVersions.Current);
        await dialler.StartAsync(Net.Token);
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        wires.HoldSends();
        await Eventually.HoldsAsync(
            () => dialler.TrySend(listener.Peer, "nothing", new byte[2000]) == SendOutcome.Full, "the lane is full");

        // Two, of which one may still find its place.
        var patient = new MessageOptions(Timeout: TimeSpan.FromMinutes(10));
        Task<ClusterReply>[] waiting =
            [.. Enumerable.Range(0, 2).Select(_ => dialler.RequestAsync(listener.Peer, "nothing", default, patient, Net.Token).AsTask())];
        time.Jump(TimeSpan.FromHours(1));
        wires.CutAll();

        var replies = await Eventually.InTimeAsync(Task.WhenAll(waiting));
        Assert.Contains(replies, reply => reply.Reason?.Contains("had no room for 600 s", StringComparison.Ordinal) == true);
    }

    /// <summary>Else what a peer's connections that go nowhere leave behind would be bounded by time alone.</summary>
    [Fact]
    public void A_connection_that_gives_way_takes_the_link_with_it_that_it_was_to_open()
    {
        var hello = new Hello(
            WireVersions.Current, new PeerIdentity(new PeerId("us/1"), default, "us", 1), default, 1,
            new LanePlan([new("default", 2, ByKey: true)]), new LaneId("default", 0), 4096, 4096);
        var context = Nodes.Of(new MessagingOptions { Peer = new PeerId("eu/1") });
        var links = new LinkTable(
            new PeerIdentity(new PeerId("eu/1"), default, "eu", 1), new EventFeed<MembershipChange>(() => null, NullLogger.Instance),
            context.Accounts.Connections);
        var reservation = new Reservation(hello, 2, context, new OpeningConnections(10));
        using var wire = new AtOnceTransport.Wire();
        Assert.Null(links.Reserve(reservation, default));
        Assert.True(reservation.TryAdd(hello.Lane, wire));

        links.GiveUp(wire);

        Assert.True(reservation.Complete.IsCanceled);
        Assert.True(wire.IsClosed);
    }

    private static MessagingNode NodeOver(IWireTransport transport, ILoggerFactory loggers) => new(
        new MessagingOptions
        {
            Peer = new PeerId("eu/1"),
            Cluster = new ClusterId("eu"),
            ListenOn = PeerAddress.Loopback(),
        },
        TimeProvider.System, loggers, transport, WireVersions.Current);

    private static byte[] HelloOf(string peer, WireVersions versions) => Handshake.Write(new Hello(
        versions, new PeerIdentity(new PeerId(peer), default, peer, 1), default, 1, OneLane, OneLane.Lanes[0], 4096, 4096));

    private sealed class HeldUpContext : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
        }
    }

    private sealed class JumpingTime : TimeProvider
    {
        private long _ahead;

        public override long GetTimestamp() => base.GetTimestamp() + Interlocked.Read(ref _ahead);

        public void Jump(TimeSpan by) => Interlocked.Add(ref _ahead, (long)(by.TotalSeconds * TimestampFrequency));
    }

    private sealed class Throwing : ILoggerFactory, ILogger
    {
        private int _thrown;

        public int Thrown => Volatile.Read(ref _thrown);

        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            Interlocked.Increment(ref _thrown);
            throw new InvalidOperationException("the sink is full");
        }

        public void Dispose()
        {
        }
    }
}
