using System.Collections.Concurrent;
using System.Text;

namespace Geo.Messaging.Overlays.Tests;

/// <summary>
/// As many peers over TCP as one machine carries beside other work; more are in the simulator. Times are long enough for a machine on which
/// a thread waits for seconds: what is shown is who hears what, not how soon.
/// </summary>
public sealed class TcpScaleTests : IAsyncDisposable
{
    private const int Peers = 64;
    private const int Broadcasts = 8;

    private readonly TcpOverlayWorld _world = new(patience: 10);
    private readonly ConcurrentDictionary<(PeerId Peer, string Text), int> _heard = [];
    private readonly List<OverlayNode> _nodes = [];

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    [Fact]
    public async Task Sixty_four_peers_over_tcp_hear_each_broadcast_once()
    {
        for (var number = 0; number < Peers; number++)
        {
            var node = await _world.StartAsync($"peer-{number}", new OverlayOptions { Overlay = HyParView.Name });
            node.MessageReceived += message =>
                _heard.AddOrUpdate((node.Peer, Encoding.UTF8.GetString(message.Payload.Span)), 1, (_, times) => times + 1);
            if (number > 0)
            {
                // One after another: who joins finds somebody who has joined.
                node.Join(_world.AddressOf(_nodes[number / 2]));
                await _world.UntilAsync(() => node.Neighbours.Count > 0, $"{node.Peer} has a neighbour");
            }

            _nodes.Add(node);
        }

        for (var number = 0; number < Broadcasts; number++)
        {
            var (from, text) = (_nodes[number * Peers / Broadcasts], $"{number}");
            Assert.True(from.TryBroadcast(Encoding.UTF8.GetBytes(text)));
            await _world.UntilAsync(() => Missing(from, text).Count == 0, $"all hear {text}", () => string.Join(' ', Missing(from, text)));
        }

        Assert.All(_heard, each => Assert.Equal(1, each.Value));
    }

    private List<PeerId> Missing(OverlayNode from, string text) =>
        [.. _nodes.Where(node => node != from && !_heard.ContainsKey((node.Peer, text))).Select(node => node.Peer)];
}
