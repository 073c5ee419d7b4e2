using System.Collections.Concurrent;
using Geo.Testing;
using Geo.Testing.InMemory;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>Many peers that lose the same one at the same moment, in virtual time.</summary>
public sealed class ReconnectTests
{
    private const int Peers = 100;

    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(10);

    [Fact]
    public async Task Peers_that_lose_one_together_dial_it_apart_and_go_on_until_it_is_back()
    {
        var time = new VirtualTime();
        var network = new InMemoryNetwork(time);
        var wires = new RecordingTransport(network, time);
        await using var hub = network.CreateNode(
            new MessagingOptions { Peer = new PeerId("hub"), ListenOn = PeerAddress.Loopback() }, NullLoggerFactory.Instance);
        await hub.StartAsync(Net.Token);
        var peers = Enumerable.Range(0, Peers).Select(number => new MessagingNode(
            new MessagingOptions { Peer = new PeerId($"peer-{number}"), MaxReconnectDelay = TimeSpan.FromSeconds(1) },
            time, NullLoggerFactory.Instance, wires, WireVersions.Current)).ToList();
        foreach (var peer in peers)
        {
            await peer.StartAsync(Net.Token);
            peer.Connect(hub.ListeningOn!);
        }

        await Eventually.HoldsAsync(() => hub.Members.Count == Peers, "all are connected");
        await AdvanceAsync(time, TimeSpan.FromSeconds(1.2));
        wires.Refuses = true;
        wires.Attempts.Clear();
        var cut = time.Elapsed;
        network.CutAll();
        await Eventually.HoldsAsync(() => peers.TrueForAll(peer => peer.Members.Count == 0), "all have noticed");

        await AdvanceAsync(time, TimeSpan.FromSeconds(4));

        // Evenly spread, a tenth of the first wait would see a tenth of them; a herd is all of them.
        var steps = wires.Attempts.GroupBy(at => (int)((at - cut) / Step)).ToDictionary(step => step.Key, step => step.Count());
        Assert.True(steps.Values.Max() <= Peers * 4 / 10, $"{steps.Values.Max()} of {Peers} dialled within {Step.TotalMilliseconds} ms");

        // Waits of 0.1 s that double up to 1 s: some six attempts of each in four seconds.
        Assert.InRange(wires.Attempts.Count, 3 * Peers, 30 * Peers);

        wires.Refuses = false;
        for (var waited = TimeSpan.Zero; hub.Members.Count < Peers && waited < TimeSpan.FromSeconds(10); waited += Step)
        {
            await AdvanceAsync(time, Step);
        }

        Assert.Equal(Peers, hub.Members.Count);
        foreach (var peer in peers)
        {
            await peer.DisposeAsync();
        }
    }

    // In steps, so that what a timer starts is done before the next one fires.
    private static async Task AdvanceAsync(VirtualTime time, TimeSpan by)
    {
        for (var until = time.Elapsed + by; time.Elapsed < until;)
        {
            time.Advance(Step);
            await Task.Delay(1, Net.Token);
        }
    }

    private sealed class RecordingTransport(IWireTransport inner, VirtualTime time) : IWireTransport
    {
        public volatile bool Refuses;

        public ConcurrentQueue<TimeSpan> Attempts { get; } = [];

        public IWireListener Listen(PeerAddress address) => inner.Listen(address);

        public ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken)
        {
            Attempts.Enqueue(time.Elapsed);
            return Refuses ? throw new IOException("cut off by the test") : inner.ConnectAsync(address, cancellationToken);
        }
    }
}
