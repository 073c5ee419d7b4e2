using Geo.Messaging;
using KeyValueSample;

namespace KeyValue.Tests;

public sealed class RingTests
{
    private static readonly PeerId[] Peers = [.. Enumerable.Range(1, 5).Select(number => new PeerId($"peer-{number}"))];

    [Fact]
    public void A_key_has_three_different_replicas_whatever_the_order_of_the_peers()
    {
        var (one, other) = (new Ring(Peers), new Ring([.. Peers.Reverse()]));
        for (var key = 0; key < 1_000; key++)
        {
            var replicas = one.ReplicasOf($"key-{key}");
            Assert.Equal(3, replicas.Distinct().Count());
            Assert.Equal(replicas, other.ReplicasOf($"key-{key}"));
        }
    }

    [Fact]
    public void Keys_are_spread_over_the_peers()
    {
        var ring = new Ring(Peers);
        var held = Enumerable.Range(0, 5_000).SelectMany(key => ring.ReplicasOf($"key-{key}")).CountBy(peer => peer).ToDictionary();

        Assert.All(Peers, peer => Assert.InRange(held[peer], 2_500, 3_500));
    }

    [Fact]
    public void A_ring_of_two_peers_is_refused() => Assert.Throws<ArgumentException>(() => new Ring(Peers[..2]));
}
