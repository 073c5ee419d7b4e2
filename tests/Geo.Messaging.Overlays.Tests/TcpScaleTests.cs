using System.Collections.Concurrent;
using System.Text;

namespace Geo.Messaging.Overlays.Tests;

/// <summary>As many peers over TCP as one machine carries beside other work; 1,024 are in the simulator.</summary>
public sealed class TcpScaleTests : IAsyncDisposable
{
    private const int Peers = 64;
    private const int AtOnce = 8;

    private readonly TcpOverlayWorld _world = new(tick: TimeSpan.FromMilliseconds(200));

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    [Fact]
    public async Task Sixty_four_peers_over_tcp_hear_each_broadcast_once()
    {
        var random = new Random(64);
        ConcurrentDictionary<(PeerId Peer, string Text), int> heard = [];
        List<OverlayNode> nodes = [];
        for (var number = 0; number < Peers; number++)
        {
            var node = await _world.StartAsync($"peer-{number}", new OverlayOptions { Overlay = HyParView.Name });
            node.MessageReceived += message =>
                heard.AddOrUpdate((node.Peer, Encoding.UTF8.GetString(message.Payload.Span)), 1, (_, times) => times + 1);
            if (number > 0)
            {
                node.Join(_world.AddressOf(nodes[random.Next(number)]));
            }

            nodes.Add(node);
            if (number % AtOnce == 0)
            {
                await _world.UntilAsync(
                    () => nodes.TrueForAll(each => nodes.Count == 1 || each.Neighbours.Count > 0), "all have neighbours");
            }
        }

        await _world.UntilAsync(() => nodes.TrueForAll(node => node.Neighbours.Count > 0), "all are linked");
        for (var number = 0; number < Peers; number += AtOnce)
        {
            var text = $"{number}";
            Assert.True(nodes[number].TryBroadcast(Encoding.UTF8.GetBytes(text)));
            await _world.UntilAsync(
                () => nodes.TrueForAll(node => node == nodes[number] || heard.ContainsKey((node.Peer, text))), $"all hear {text}");
        }

        Assert.All(heard, each => Assert.Equal(1, each.Value));
    }
}
