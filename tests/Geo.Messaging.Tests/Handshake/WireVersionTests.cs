using System.Diagnostics;

namespace Geo.Messaging.Tests;

/// <summary>A node of this version against a neighbour of an invented one, on real links.</summary>
public sealed class WireVersionTests : IAsyncDisposable
{
    private readonly Net _net = new();

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Theory]
    [InlineData(1, 2)]
    [InlineData(2, 1)]
    [InlineData(1, 1)]
    [InlineData(2, 2)]
    public async Task Whichever_side_is_the_older_both_speak_its_version_in_both_directions(int dialler, int listener)
    {
        var (from, to) = await PairAsync(dialler, listener);
        using var here = from.Handle("echo", Echo);
        using var there = to.Handle("echo", Echo);
        using var trace = new Activity("test").Start();

        foreach (var size in new[] { 0, 100, 300_000 })
        {
            var payload = new byte[size];
            new Random(size).NextBytes(payload);
            var reply = await from.RequestAsync(to.Peer, "echo", payload, default, Net.Token);
            var back = await to.RequestAsync(from.Peer, "echo", payload, default, Net.Token);
            Assert.True(reply.Payload.Span.SequenceEqual(payload), reply.Reason);
            Assert.True(back.Payload.Span.SequenceEqual(payload), back.Reason);
        }

        Assert.All([from, to], node => Assert.Equal(Math.Min(dialler, listener), node.Links.Single().Context.Terms.Version));
    }

    [Theory]
    [InlineData(1, 1, 2, 3)]
    [InlineData(3, 4, 1, 2)]
    public async Task Ranges_that_do_not_meet_are_refused_with_a_typed_reason_at_both_ends(
        int oldest, int newest, int otherOldest, int otherNewest)
    {
        var listener = await _net.ListenAsync("eu/1", versions: new WireVersions(oldest, newest));
        var dialler = await _net.StartAsync("us/1", versions: new WireVersions(otherOldest, otherNewest));
        var atListener = Refusals.Next(listener);
        var atDialler = Refusals.Next(dialler);

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));

        Assert.Contains($"wire version {new WireVersions(oldest, newest)}", error.Message, StringComparison.Ordinal);
        var (here, there) = (await Eventually.InTimeAsync(atListener), await Eventually.InTimeAsync(atDialler));
        Assert.Equal((RefusalReason.WireVersion, false), (here.Reason, here.RefusedByRemote));
        Assert.Equal((RefusalReason.WireVersion, true), (there.Reason, there.RefusedByRemote));
        Assert.Empty(listener.Members);
        Assert.Empty(dialler.Members);
    }

    [Fact]
    public async Task A_peer_that_is_upgraded_is_spoken_to_in_the_newer_version_from_then_on()
    {
        var hub = await _net.ListenAsync("eu/1", versions: new WireVersions(1, 2));
        var before = await _net.StartAsync("us/1", versions: new WireVersions(1, 1));
        await Eventually.InTimeAsync(before.JoinAsync(hub.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(hub, before);
        Assert.Equal(1, hub.Links.Single().Context.Terms.Version);
        await before.LeaveAsync(Net.Token);

        var after = await _net.StartAsync("us/1", versions: new WireVersions(1, 2));
        await Eventually.InTimeAsync(after.JoinAsync(hub.ListeningOn!, cancellationToken: Net.Token));

        await Eventually.HoldsAsync(() => hub.Links is [{ } link] && link.Context.Terms.Version == 2, "the hub speaks version 2");
    }

    private async Task<(MessagingNode Dialler, MessagingNode Listener)> PairAsync(int dialler, int listener)
    {
        var there = await _net.ListenAsync("eu/1", versions: new WireVersions(1, listener));
        var here = await _net.StartAsync("us/1", versions: new WireVersions(1, dialler));
        await Eventually.InTimeAsync(here.JoinAsync(there.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(there, here);
        return (here, there);
    }

    private static ValueTask<ReadOnlyMemory<byte>> Echo(PeerMessage message, CancellationToken cancellationToken) => new(message.Payload);
}
