using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Globalization;
using Geo.Testing.InMemory;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Overlays.Tests;

/// <summary>Partisan's hub died of unbounded queues beyond 256 nodes (the paper's section 6.3).</summary>
[Collection(ProcessWide.Name)]
public sealed class HubMemoryTests(ITestOutputHelper output) : IAsyncDisposable
{
    private const int Peers = 512;
    private const int PayloadBytes = 4096;
    private const int QueueBytes = 64 * 1024;
    private const int WindowBytes = 16 * 1024;
    private const int ReceiveBufferBytes = 4096;
    private const int HeldBytes = 1024 * 1024;
    private const int KeptBytes = 64 * 1024;

    // All that the hub may hold: for each peer a queue, two directions of the network and a buffer; its messages to the one that does not
    // acknowledge, and the broadcasts kept for those who miss them.
    private const long Bound = ((long)Peers * (QueueBytes + (2 * WindowBytes) + ReceiveBufferBytes)) + HeldBytes + KeptBytes;

    // Many times what it may hold.
    private const int Offered = 100_000;

    private static readonly OverlayOptions Options = new()
    {
        Overlay = ClientServer.Name,
        Tag = ClientServer.ClientTag,
        TickInterval = TimeSpan.FromMilliseconds(500),
        Broadcast = new() { KeptBytes = KeptBytes, KeptMessages = 16 },
        Routing =
            new() { HeldBytesPerPeer = HeldBytes, RetryInterval = TimeSpan.FromSeconds(5), DeliveryTimeout = TimeSpan.FromMinutes(1) },
    };

    private readonly InMemoryNetwork _network = new(TimeProvider.System) { WindowBytes = WindowBytes };
    private readonly List<(OverlayNode Overlay, MessagingNode Node)> _nodes = [];
    private readonly int[] _received = new int[Peers];

    [Fact]
    public async Task A_hub_of_512_peers_stays_within_its_bound_while_one_does_not_read_and_goes_on_serving_the_others()
    {
        var stalling = new StallingTransport(_network);
        var (hub, hubNode) = await StartAsync(0, _network);
        for (var peer = 1; peer < Peers; peer++)
        {
            var (client, _) = await StartAsync(peer, peer == 1 ? stalling : _network);
            client.Join(hubNode.ListeningOn!);
        }

        await UntilAsync(
            () => hub.Members.Count == Peers && _nodes.TrueForAll(node => node.Overlay.Neighbours.Count > 0), "all have joined");
        await BroadcastAsync(hub, 1, 32);
        var before = GC.GetTotalMemory(forceFullCollection: true);

        stalling.Stall();
        var payload = new byte[PayloadBytes];
        var stalled = new PeerId(Name(1));
        var taken = Enumerable.Range(0, Offered).Count(_ => hub.TrySend(stalled, payload));
        var queued = Enumerable.Range(0, Offered).Count(_ => hubNode.TrySend(stalled, "bulk", payload) == SendOutcome.Queued);
        await BroadcastAsync(hub, 2, 100);
        var others = _received.Sum();
        Assert.All(Enumerable.Range(2, Peers - 2), peer => Assert.True(hub.TrySend(new PeerId(Name(peer)), payload)));
        await UntilAsync(() => _received.Sum() == others + Peers - 2, "a message to each of the others arrives");
        var most = QueuedBytes(hubNode.Peer);
        var grown = GC.GetTotalMemory(forceFullCollection: true) - before;

        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{Peers} peers, {2L * Offered * PayloadBytes / 1048576} MiB offered to one that does not read: {taken} and {queued} messages "
            + $"taken, {most} bytes in the fullest queue, {grown / 1024} KiB more in use; the bound is {Bound / 1024} KiB"));
        Assert.InRange(taken, 1, HeldBytes / PayloadBytes);
        Assert.InRange(queued, 0, 2 * QueueBytes / PayloadBytes);
        Assert.InRange(most, PayloadBytes, QueueBytes);
        Assert.InRange(grown, long.MinValue, Bound);
    }

    public async ValueTask DisposeAsync() => await Task.WhenAll(_nodes.Select(async node =>
    {
        await node.Overlay.DisposeAsync();
        await node.Node.DisposeAsync();
    }));

    private static string Name(int peer) => string.Create(CultureInfo.InvariantCulture, $"p{peer}");

    // What the instruments say of the fullest queue.
    private static long QueuedBytes(PeerId peer)
    {
        var most = 0L;
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Name == "geo.messaging.queued_bytes")
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((_, bytes, tags, _) =>
        {
            foreach (var tag in tags)
            {
                most = tag.Key == "geo.peer" && tag.Value is string name && name == peer.Name ? Math.Max(most, bytes) : most;
            }
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return most;
    }

    private static async Task UntilAsync(Func<bool> condition, string what)
    {
        var watch = Stopwatch.StartNew();
        while (!condition())
        {
            Assert.True(watch.Elapsed < TimeSpan.FromSeconds(60), $"It did not happen in time that {what}.");
            await Task.Delay(10, TestContext.Current.CancellationToken);
        }
    }

    private async Task<(OverlayNode Overlay, MessagingNode Node)> StartAsync(int peer, IWireTransport transport)
    {
        var options = new MessagingOptions
        {
            Peer = new PeerId(Name(peer)),
            ListenOn = peer == 0 ? PeerAddress.Loopback() : null,
            DefaultChannel = new() { Parallelism = 1, QueueBytes = QueueBytes, QueueMessages = 1024 },
            ReceiveBufferBytes = ReceiveBufferBytes,
            HeartbeatInterval = TimeSpan.FromSeconds(10),
            DeadLinkAfter = TimeSpan.FromMinutes(2),
        };
        var node = new MessagingNode(options, TimeProvider.System, NullLoggerFactory.Instance, transport, WireVersions.Current);
        await node.StartAsync(TestContext.Current.CancellationToken);
        var overlay = OverlayNode.Over(
            node, Options with { Tag = peer == 0 ? ClientServer.ServerTag : ClientServer.ClientTag }, TimeProvider.System,
            NullLoggerFactory.Instance);
        overlay.MessageReceived += _ => Interlocked.Increment(ref _received[peer]);
        overlay.Start();
        _nodes.Add((overlay, node));
        return (overlay, node);
    }

    // In small steps, so that only a peer that does not read falls behind.
    private async Task BroadcastAsync(OverlayNode hub, int firstReader, int count)
    {
        var payload = new byte[PayloadBytes];
        var expected = _received[2] + count;
        for (var sent = 1; sent <= count; sent++)
        {
            Assert.True(hub.TryBroadcast(payload));
            var known = expected - count + sent;
            if (sent % 4 == 0)
            {
                await UntilAsync(
                    () => _received.Skip(firstReader).All(received => received >= known), $"all that read have {known} broadcasts");
            }
        }
    }

    /// <summary>A transport whose connections stop reading when told to.</summary>
    private sealed class StallingTransport(IWireTransport inner) : IWireTransport
    {
        private readonly TaskCompletionSource _disposed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private volatile bool _isStalled;

        public void Stall() => _isStalled = true;

        public IWireListener Listen(PeerAddress address) => inner.Listen(address);

        public async ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken) =>
            new Connection(this, await inner.ConnectAsync(address, cancellationToken));

        private sealed class Connection(StallingTransport owner, IWireConnection inner) : IWireConnection
        {
            public string Remote => inner.Remote;

            public ValueTask SendAsync(List<ArraySegment<byte>> segments) => inner.SendAsync(segments);

            public async ValueTask<int> ReceiveAsync(Memory<byte> buffer)
            {
                var received = await inner.ReceiveAsync(buffer);
                if (owner._isStalled)
                {
                    await owner._disposed.Task;
                }

                return received;
            }

            public void FinishSending() => inner.FinishSending();

            public void Dispose()
            {
                owner._disposed.TrySetResult();
                inner.Dispose();
            }
        }
    }
}
