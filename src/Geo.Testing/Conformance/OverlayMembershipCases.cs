using Geo.Messaging.Overlays;

namespace Geo.Testing.Conformance;

/// <summary>Who is a member, and who is no longer one.</summary>
internal static class OverlayMembershipCases
{
    public static IReadOnlyList<OverlayCase> All { get; } =
    [
        new("A peer that joins by one contact becomes part of the whole", async bench =>
        {
            await bench.StartAllAsync();
            var last = await bench.JoinNewAsync("late");
            await bench.SettledAsync();
            await bench.BroadcastReachesAllAsync(last, "from-late");
            await bench.BroadcastReachesAllAsync(bench.Peers[0], "to-late");
        }),
        new("A peer that leaves is forgotten by all", async bench =>
        {
            await bench.StartAllAsync();
            var leaver = await LeaveAsync(bench);
            await GoneAsync(bench, leaver);
        }),
        new("A peer that another removes leaves and is forgotten by all", async bench =>
        {
            await bench.StartAllAsync();
            var removed = await RemoveAsync(bench);
            await bench.World.UntilAsync(() => removed.Neighbours.Count == 0, "the removed peer has no neighbours");
            await GoneAsync(bench, removed);
        }),
        new("No message reaches a peer that has left", async bench =>
        {
            await bench.StartAllAsync();
            var leaver = await LeaveAsync(bench);
            await GoneAsync(bench, leaver);
            var before = bench.Received(leaver).Count;
            foreach (var peer in bench.Peers)
            {
                OverlayBench.Broadcast(peer, "after-leave");
                OverlayBench.Send(peer, leaver, "to-the-one-that-left");
            }

            await bench.World.PassAsync(TimeSpan.FromSeconds(2));
            OverlayBench.Expect(
                bench.Received(leaver).Count == before, "nothing at the peer that left",
                string.Join(' ', bench.Received(leaver).Skip(before)));
            OverlayBench.Expect(!leaver.TryBroadcast(new byte[1]), "the peer that left to refuse a broadcast", "it was taken");
            await bench.SettledAsync();
        }),
        new("A peer that left joins again", async bench =>
        {
            await bench.StartAllAsync();
            var leaver = await LeaveAsync(bench);
            await GoneAsync(bench, leaver);
            bench.JoinOthers(leaver);
            bench.Peers.Add(leaver);
            await bench.SettledAsync();
            await bench.BroadcastReachesAllAsync(leaver, "back");
            await bench.BroadcastReachesAllAsync(bench.Peers[0], "welcome");
        }),
        new("A peer that crashed comes back under a new address and replaces itself", async bench =>
        {
            await bench.StartAllAsync();
            var old = bench.Peers[^1];
            await CrashAsync(bench, old);
            var again = await bench.JoinNewAsync(old.Peer.Name);
            await bench.SettledAsync();
            await bench.BroadcastReachesAllAsync(again, "from-the-new-address");
            await bench.BroadcastReachesAllAsync(bench.Peers[0], "to-the-new-address");
            await bench.World.UntilAsync(
                () => bench.Peers.All(
                    peer => peer.Members.Where(member => member.Peer == again.Peer)
                        .All(member => member.Address == bench.World.AddressOf(again))),
                "all know the new address only");
        }),
        new("A crashed peer is seen to be gone by all its neighbours", async bench =>
        {
            await bench.StartAllAsync();
            var crashed = bench.Peers[^1];
            await CrashAsync(bench, crashed);
            await bench.World.UntilAsync(
                () => bench.Peers.All(peer => !peer.Neighbours.Contains(crashed.Peer)), "no peer has the crashed one as a neighbour");
            await bench.World.UntilAsync(bench.IsConnected, "the others are connected");
            await bench.BroadcastReachesAllAsync(bench.Peers[0], "after-the-crash");
        }),
        new("The parts of a partition become one overlay again", async bench =>
        {
            await bench.StartAllAsync();
            var half = bench.Peers.Count / 2;
            bench.World.Partition(
                [[.. bench.Peers.Where((_, index) => index % 2 == 0)], [.. bench.Peers.Where((_, index) => index % 2 == 1)]]);
            await bench.World.UntilAsync(
                () => !bench.IsConnected() && bench.Peers.All(peer => peer.Neighbours.Count <= half - 1), "the partition is found");
            bench.World.Heal();
            await bench.SettledAsync();
            foreach (var peer in bench.Peers.ToList())
            {
                await bench.BroadcastReachesAllAsync(peer, $"healed-{peer.Peer}");
            }
        }),
    ];

    private static async Task<OverlayNode> LeaveAsync(OverlayBench bench)
    {
        var leaver = bench.Peers[^1];
        bench.Peers.Remove(leaver);
        await leaver.LeaveAsync();
        OverlayBench.Expect(leaver.Members.Count == 0, "no members at the peer that left", string.Join(", ", leaver.Members));
        return leaver;
    }

    private static async Task<OverlayNode> RemoveAsync(OverlayBench bench)
    {
        var removed = bench.Peers[^1];
        bench.Peers.Remove(removed);
        foreach (var peer in bench.Peers.Take(bench.Subject.IsPairwise ? int.MaxValue : 1).ToList())
        {
            peer.Remove(removed.Peer);
        }

        if (!bench.Subject.IsPairwise)
        {
            await bench.World.UntilAsync(() => removed.Members.Count == 0, "the removed peer has left");
        }

        return removed;
    }

    private static async Task CrashAsync(OverlayBench bench, OverlayNode peer)
    {
        bench.Peers.Remove(peer);
        await bench.World.CrashAsync(peer);
    }

    private static async Task GoneAsync(OverlayBench bench, OverlayNode leaver)
    {
        await bench.World.UntilAsync(
            () => bench.Peers.All(peer => peer.Members.All(member => member.Peer != leaver.Peer)),
            $"no peer has {leaver.Peer} as a member");
        await bench.SettledAsync();
    }
}
