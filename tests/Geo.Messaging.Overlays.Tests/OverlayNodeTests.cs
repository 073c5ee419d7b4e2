using Geo.Testing;
using Geo.Testing.Overlays;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Overlays.Tests;

public sealed class OverlayNodeTests : IAsyncDisposable
{
    private readonly SimulatedOverlayWorld _world = new(new SimulationSeed(1));

    [Theory]
    [InlineData("ring", null, "overlay 'ring', which is not known. Known are: client-server, full-mesh, hyparview, static")]
    [InlineData("client-server", null, "set OverlayOptions.Tag to 'server' or 'client'")]
    public void An_overlay_that_cannot_be_made_is_one_clear_error(string overlay, string? tag, string expected)
    {
        var error = Assert.Throws<GeoConfigurationException>(() => _world.Start("a", new OverlayOptions { Overlay = overlay, Tag = tag }));

        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Options_out_of_range_are_one_clear_error_that_names_them()
    {
        var error = Assert.Throws<GeoConfigurationException>(() => _world.Start(
            "a", new OverlayOptions { TickInterval = TimeSpan.Zero, HyParView = new() { ActiveMin = 9 } }));

        Assert.Contains("TickInterval", error.Message, StringComparison.Ordinal);
        Assert.Contains("ActiveMin", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Peers_of_different_overlays_do_not_become_members_of_each_other()
    {
        var one = _world.Start("a", new OverlayOptions { Overlay = "full-mesh" });
        var other = _world.Start("b", new OverlayOptions { Overlay = "hyparview" });
        one.Join(_world.AddressOf(other));
        _world.Time.Advance(TimeSpan.FromSeconds(30));

        Assert.Equal(one.Peer, Assert.Single(one.Members).Peer);
        Assert.Equal(other.Peer, Assert.Single(other.Members).Peer);
    }

    [Fact]
    public void Damaged_frames_are_counted_and_change_nothing()
    {
        var node = _world.Start("a", new OverlayOptions());
        var attacker = _world.Network.Attach(new PeerId("attacker"), null);
        attacker.Connect(_world.AddressOf(node));
        _world.Time.Advance(TimeSpan.FromSeconds(1));
        var random = new Random(2);
        var frame = new byte[60];
        for (var round = 0; round < 5000; round++)
        {
            random.NextBytes(frame);
            frame[0] = (byte)random.Next(6);
            attacker.TrySend(node.Peer, frame.AsMemory(0, 1 + random.Next(59)));
        }

        _world.Time.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(node.Peer, Assert.Single(node.Members).Peer);
        Assert.True(node.Counts.Malformed > 0);
        Assert.Equal(5000, node.Counts.Malformed + node.Counts.NotLinked);
    }

    [Fact]
    public async Task A_node_is_started_before_it_is_used_and_once()
    {
        var transport = _world.Network.Attach(new PeerId("x"), null);
        await using var node = new OverlayNode(
            new OverlayOptions(), transport, _world.Time, new Random(1), NullLogger<OverlayNode>.Instance);

        Assert.Throws<InvalidOperationException>(() => node.TryBroadcast(new byte[1]));
        node.Start();
        Assert.Throws<InvalidOperationException>(node.Start);
        Assert.True(node.TryBroadcast(new byte[1]));
    }

    public ValueTask DisposeAsync() => _world.DisposeAsync();
}
