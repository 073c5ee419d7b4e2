using Geo.Messaging.Overlays;

namespace Geo.Testing.Conformance;

/// <summary>What arrives, how often and in which order.</summary>
internal static class OverlayDeliveryCases
{
    public static IReadOnlyList<OverlayCase> All { get; } =
    [
        new("Broadcasts of one peer reach all exactly once and in order", async bench =>
        {
            await bench.StartAllAsync();
            var expected = OverlayBench.Numbered("one", bench.Subject.Messages);
            expected.ForEach(text => OverlayBench.Broadcast(bench.Peers[1], text));
            await ArrivedAsync(bench, [1], "one");
        }),
        new("Broadcasts of all peers at once reach all exactly once and in order of each sender", async bench =>
        {
            await bench.StartAllAsync();
            foreach (var text in OverlayBench.Numbered("all", bench.Subject.Messages))
            {
                bench.Peers.ForEach(peer => OverlayBench.Broadcast(peer, text));
            }

            await ArrivedAsync(bench, [.. Enumerable.Range(0, bench.Peers.Count)], "all");
        }),
        new("Messages between any two peers, linked or not, arrive exactly once and in order, while the tree changes", async bench =>
        {
            await bench.StartAllAsync();
            var (from, to) = (bench.Peers[^2], bench.Peers[^1]);
            var expected = OverlayBench.Numbered("sent", bench.Subject.Messages);
            foreach (var (index, text) in expected.Index())
            {
                OverlayBench.Send(from, to, text);
                if (index == expected.Count / 2)
                {
                    await bench.BroadcastReachesAllAsync(bench.Peers[0], "carve-a-tree");
                }
            }

            await SentArrivedAsync(bench, from, to, expected);
        }),
        new("Messages between two peers arrive exactly once and in order while a peer between them crashes", async bench =>
        {
            await bench.StartAllAsync();
            var (from, to) = (bench.Peers[^2], bench.Peers[^1]);
            await bench.BroadcastReachesAllAsync(to, "learn-the-way");
            var expected = OverlayBench.Numbered("sent", bench.Subject.Messages);
            foreach (var (index, text) in expected.Index())
            {
                OverlayBench.Send(from, to, text);
                if (index == expected.Count / 2)
                {
                    var crashed = bench.Peers[0];
                    bench.Peers.Remove(crashed);
                    await bench.World.CrashAsync(crashed);
                }
            }

            await SentArrivedAsync(bench, from, to, expected);
        }),
        new("Broadcasts while a peer crashes reach the living exactly once and in order", async bench =>
        {
            await bench.StartAllAsync();
            var texts = OverlayBench.Numbered("amid", bench.Subject.Messages);
            foreach (var (index, text) in texts.Index())
            {
                OverlayBench.Broadcast(bench.Peers[0], text);
                if (index == texts.Count / 2)
                {
                    var crashed = bench.Peers[^1];
                    bench.Peers.Remove(crashed);
                    await bench.World.CrashAsync(crashed);
                }
            }

            await ArrivedAsync(bench, [0], "amid");
        }),
    ];

    private static async Task SentArrivedAsync(OverlayBench bench, OverlayNode from, OverlayNode to, List<string> expected)
    {
        await bench.World.UntilAsync(
            () => bench.Received(to, from, "sent").Count >= expected.Count, $"all {expected.Count} messages reach {to.Peer}");

        // Time for a duplicate to show.
        await bench.World.PassAsync(TimeSpan.FromSeconds(5));
        OverlayBench.ExpectSequence(expected, bench.Received(to, from, "sent"), $"what {to.Peer} received");
        foreach (var other in bench.Peers.Where(peer => peer != to))
        {
            OverlayBench.ExpectSequence([], bench.Received(other, from, "sent"), $"what {other.Peer} received of it");
        }
    }

    private static async Task ArrivedAsync(OverlayBench bench, int[] senders, string prefix)
    {
        var expected = OverlayBench.Numbered(prefix, bench.Subject.Messages);
        await bench.World.UntilAsync(
            () => bench.Peers.All(peer => senders.All(sender => bench.Received(peer, bench.Peers[sender], prefix).Count >= expected.Count)),
            $"all {expected.Count} broadcasts reach all");

        // Time for a duplicate to show.
        await bench.World.PassAsync(TimeSpan.FromSeconds(1));
        foreach (var peer in bench.Peers)
        {
            foreach (var sender in senders)
            {
                OverlayBench.ExpectSequence(
                    expected, bench.Received(peer, bench.Peers[sender], prefix),
                    $"what {peer.Peer} received of {bench.Peers[sender].Peer}");
            }
        }
    }
}
