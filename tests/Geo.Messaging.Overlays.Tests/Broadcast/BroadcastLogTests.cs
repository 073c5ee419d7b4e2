namespace Geo.Messaging.Overlays.Tests;

public sealed class BroadcastLogTests : IBroadcastOutlet
{
    private const int PayloadBytes = 1024;
    private readonly PlumtreeOptions _options = new() { WaitingBytes = 16 * PayloadBytes, KeptBytes = PayloadBytes };
    private readonly PlumtreeCounts _counts = new();
    private readonly List<BroadcastId> _delivered = [];

    [Fact]
    public void Messages_that_wait_for_an_earlier_one_hold_no_more_bytes_than_allowed_and_other_origins_lose_nothing()
    {
        var log = new BroadcastLog(_options, _counts, this);
        var (honest, hostile) = (new PeerId("honest"), new PeerId("hostile"));
        log.Add(new BroadcastId(honest, 1, 2), new byte[PayloadBytes], 0, honest, default);
        for (ulong sequence = 2; sequence < 1000; sequence += 2)
        {
            log.Add(new BroadcastId(hostile, 1, sequence), new byte[PayloadBytes], 0, hostile, default);
        }

        var held = 499 - _delivered.Count(id => id.Origin == hostile);
        Assert.InRange(held, 1, 15);
        Assert.True(_counts.Lost > 400);

        log.Add(new BroadcastId(honest, 1, 1), new byte[PayloadBytes], 0, honest, default);
        Assert.Equal([1UL, 2UL], _delivered.Where(id => id.Origin == honest).Select(id => id.Sequence));
    }

    [Fact]
    public void What_an_origin_that_is_forgotten_or_begins_anew_held_counts_no_more()
    {
        var log = new BroadcastLog(_options with { Origins = 1 }, _counts, this);
        for (var origin = 0; origin < 100; origin++)
        {
            var peer = new PeerId($"{origin}");
            log.Add(new BroadcastId(peer, 1, 2), new byte[15 * PayloadBytes], 0, peer, TimeSpan.FromSeconds(origin));
            log.Add(new BroadcastId(peer, 2, 2), new byte[15 * PayloadBytes], 0, peer, TimeSpan.FromSeconds(origin));
        }

        Assert.Empty(_delivered);
    }

    void IBroadcastOutlet.Send(PeerId to, PayloadWriter frame)
    {
    }

    bool IBroadcastOutlet.TrySendToAll(PayloadWriter frame) => false;

    void IBroadcastOutlet.Told(PeerId by)
    {
    }

    void IBroadcastOutlet.Deliver(BroadcastId id, ReadOnlyMemory<byte> payload, int hops) => _delivered.Add(id);
}
