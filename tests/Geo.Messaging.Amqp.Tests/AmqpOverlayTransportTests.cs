using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using Geo.Messaging.Overlays;

namespace Geo.Messaging.Amqp.Tests;

public sealed class AmqpOverlayTransportTests(Broker broker) : IAsyncDisposable
{
    private readonly AmqpOverlayWorld _world = new(broker);

    [Fact]
    public async Task A_peer_that_loses_the_broker_reaches_it_again_and_hears_what_was_broadcast_meanwhile()
    {
        Broker.Require();
        var (one, _) = Start("one");
        var (other, heard) = Start("other");
        await _world.UntilAsync(() => one.Neighbours.Count == 1 && other.Neighbours.Count == 1, "both are linked");

        _world.LinkOf(other).Cut();
        await _world.UntilAsync(() => one.Neighbours.Count == 0 && other.Neighbours.Count == 0, "both have seen the loss");
        Assert.True(one.TryBroadcast(Encoding.UTF8.GetBytes("meanwhile")));
        _world.Heal();

        await _world.UntilAsync(() => heard.Contains("meanwhile"), "the broadcast arrives");
        Assert.True(_world.TransportOf(other).Counts.Connections >= 2);
    }

    [Fact]
    public async Task Over_TLS_a_broker_is_trusted_when_the_authority_given_has_signed_its_certificate()
    {
        Broker.Require();
        var address = new Uri($"amqps://guest:guest@127.0.0.1:{broker.SecurePort}/");
        var (one, heard) = Start("one", limits => limits with { Broker = address, AuthorityFile = broker.AuthorityFile });
        var (other, _) = Start("other", limits => limits with { Broker = address, AuthorityFile = broker.AuthorityFile });
        var (stranger, _) = Start("stranger", limits => limits with { Broker = address });
        await _world.UntilAsync(() => one.Neighbours.Count == 1 && other.Neighbours.Count == 1, "both are linked");

        Assert.True(other.TryBroadcast(Encoding.UTF8.GetBytes("over TLS")));

        await _world.UntilAsync(() => heard.Contains("over TLS"), "the broadcast arrives");
        Assert.Equal(0, _world.TransportOf(stranger).Counts.Connections);
    }

    [Fact]
    public async Task A_peer_whose_queue_is_full_begins_anew_and_misses_nothing_and_each_refusal_is_counted()
    {
        Broker.Require();
        using var reads = new ManualResetEventSlim(initialState: true);
        var (one, _) = Start("one");
        var (slow, heard) = Start("slow", limits => limits with { QueueMessages = 8, Prefetch = 4, DeadAfter = TimeSpan.FromSeconds(20) });
        slow.MessageReceived += _ => reads.Wait(TestContext.Current.CancellationToken);
        await _world.UntilAsync(() => one.Neighbours.Count == 1 && slow.Neighbours.Count == 1, "both are linked");

        reads.Reset();
        var texts = Enumerable.Range(1, 100).Select(number => number.ToString(CultureInfo.InvariantCulture)).ToList();
        texts.ForEach(text => Assert.True(one.TryBroadcast(Encoding.UTF8.GetBytes(text))));
        await _world.UntilAsync(() => _world.TransportOf(one).Counts.Refused > 0, "the broker has refused some");
        reads.Set();

        await _world.UntilAsync(() => heard.Count == texts.Count, "all arrive in the end");
        Assert.Equal(texts, heard);
        Assert.True(_world.TransportOf(slow).Counts.Connections >= 2);
    }

    [Fact]
    public async Task What_is_under_way_when_the_broker_is_lost_is_counted_as_unknown_and_what_waits_as_dropped()
    {
        Broker.Require();
        var (one, _) = Start("one", limits => limits with { Unconfirmed = 4 });
        var (other, _) = Start("other");
        await _world.UntilAsync(() => one.Neighbours.Count == 1 && other.Neighbours.Count == 1, "both are linked");

        _world.LinkOf(one).Cut(Geo.Testing.Wan.CutMode.BlackHole);
        for (var sent = 0; sent < 50; sent++)
        {
            Assert.True(one.TryBroadcast(new byte[10]));
        }

        _world.LinkOf(one).Cut();
        await _world.UntilAsync(() => _world.TransportOf(one).Counts is { Unknown: > 0, Dropped: > 0 }, "both are counted");
        Assert.InRange(_world.TransportOf(one).Counts.Unknown, 1, 4);
    }

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    private (OverlayNode Node, ConcurrentQueue<string> Heard) Start(string peer, Func<AmqpOptions, AmqpOptions>? limits = null)
    {
        ConcurrentQueue<string> heard = [];
        var node = _world.Start(peer, limits: limits);
        node.MessageReceived += message => heard.Enqueue(Encoding.UTF8.GetString(message.Payload.Span));
        return (node, heard);
    }
}
