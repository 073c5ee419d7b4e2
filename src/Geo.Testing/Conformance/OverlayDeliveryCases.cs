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
        new("Messages between any two peers, linked or not, arrive in order and at most once", async bench =>
        {
            await bench.StartAllAsync();
            await bench.BroadcastReachesAllAsync(bench.Peers[0], "carve-a-tree");
            var (from, to) = (bench.Peers[^2], bench.Peers[^1]);

            // A tree that still changes under a message may lose it. What arrives is in order all the same, and in the end messages do.
            var sent = OverlayBench.Numbered("sent", 10 * bench.Subject.Messages);
            foreach (var batch in sent.Chunk(bench.Subject.Messages))
            {
                var before = bench.Received(to, from, "sent").Count;
                Array.ForEach(batch, text => OverlayBench.Send(from, to, text));
                await bench.World.PassAsync(TimeSpan.FromSeconds(2));
                if (bench.Received(to, from, "sent").Count == before + batch.Length)
                {
                    break;
                }
            }

            var received = bench.Received(to, from, "sent");
            OverlayBench.Expect(received.Count >= bench.Subject.Messages, $"at least {bench.Subject.Messages} messages at {to.Peer}", $"{received.Count}");
            OverlayBench.ExpectSequence([.. sent.Where(received.Contains)], received, $"what {to.Peer} received");
            foreach (var other in bench.Peers.Where(peer => peer != to))
            {
                OverlayBench.ExpectSequence([], bench.Received(other, from, "sent"), $"what {other.Peer} received of it");
            }
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
                    expected, bench.Received(peer, bench.Peers[sender], prefix), $"what {peer.Peer} received of {bench.Peers[sender].Peer}");
            }
        }
    }
}
