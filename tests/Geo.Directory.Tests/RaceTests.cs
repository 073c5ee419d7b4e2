namespace Geo.Directory.Tests;

/// <summary>All clusters ask for one grain at about the same time.</summary>
public sealed class RaceTests
{
    private static readonly TimeSpan Grace = TimeSpan.FromMilliseconds(10);

    [Theory]
    [MemberData(nameof(World.TwoToEightClusters), MemberType = typeof(World))]
    public void A_race_ends_within_10_ms_and_its_round_trips(int clusters)
    {
        for (var seed = 1; seed <= 20; seed++)
        {
            var world = new World(seed, Names(clusters));
            var slowest = seed % 2 == 0 ? World.RoundTrip : world.VaryDelays(TimeSpan.FromMilliseconds(5), TimeSpan.FromMilliseconds(80));
            var random = new Random(seed);
            World.Run(world, async silos =>
            {
                // From the last one's start: the round that wins, and the one in which a cluster that has lost is told so.
                TimeSpan[] starts = [.. silos.Select(_ => seed % 3 == 0 ? TimeSpan.Zero : slowest * random.NextDouble())];
                var limit = starts.Max() + (slowest * 2) + Grace;
                var placements = Array.Empty<Placement>();
                var took = await world.MeasureAsync(async () => placements = await Task.WhenAll(silos.Select(async (silo, i) =>
                {
                    await world.PassAsync(starts[i]);
                    return await silo.CallAsync(World.Grain);
                })));

                Assert.InRange(took, slowest / 2, limit);
                Assert.Single(placements.Select(p => p.Cluster).Distinct());
                Assert.Single(silos, s => s.Entry(World.Grain).State == GsiState.Owned);
            });
        }
    }

    [Fact]
    public void Silos_of_one_cluster_that_race_with_another_cluster_end_as_soon()
    {
        for (var seed = 1; seed <= 20; seed++)
        {
            var world = new World(seed, Names(3));
            World.Run(world, async silos =>
            {
                var second = world.AddSilo(silos[seed % 3].Cluster, "second");
                await World.StartAsync(second);

                var took = await world.MeasureAsync(() => Task.WhenAll(silos.Append(second).Select(s => s.CallAsync(World.Grain))));

                Assert.InRange(took, World.RoundTrip, (World.RoundTrip * 2) + Grace);
            });
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_request_is_held_once_and_no_longer_than_the_hold_limit_while_the_round_with_precedence_waits_for_a_third_cluster(
        bool isAgain)
    {
        var world = new World(1, "asia", "eu", "us");
        world.Network.Options.RefusedWhenCut = 0;
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);
            var winner = silos[2].CallAsync(World.Grain, SingleInstanceMode.Pessimistic);
            await world.PassAsync(World.OneWay / 2);

            var messenger = world.Network.Join(silos[1].Cluster, silos[1].Lane);
            var kind = isAgain ? GsiMessageKind.RequestAgain : GsiMessageKind.Request;
            var request = new GsiMessage(kind, World.Grain, 7).Encode();
            var reply = default(ClusterReply);
            var took = await world.MeasureAsync(
                async () => reply = await messenger.RequestAsync(silos[2].Cluster, RoundRequests.Service, request));

            Assert.Equal(GsiReplyKind.Fail, GsiMessage.DecodeReply(silos[2].Cluster, reply.Payload.Span).Kind);
            Assert.Equal((isAgain ? TimeSpan.Zero : world.Options.RequestTimeout / 2) + World.RoundTrip, took);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => winner);
        });
    }

    [Fact]
    public void More_requests_than_may_be_held_are_refused_at_once()
    {
        var world = new World { Options = new() { MaxHeldRequests = 2 } };
        World.Run(world, async silos =>
        {
            GrainKey[] keys = [.. Enumerable.Range(0, 4).Select(i => new GrainKey("cart", $"k{i}"))];
            var messenger = world.Network.Join(silos[0].Cluster, silos[0].Lane);
            var winners = keys.Select(key => silos[1].CallAsync(key)).ToArray();

            var replies = await Task.WhenAll(keys.Select(async key =>
            {
                var request = new GsiMessage(GsiMessageKind.Request, key, 7).Encode();
                var reply = await messenger.RequestAsync(silos[1].Cluster, RoundRequests.Service, request);
                return GsiMessage.DecodeReply(silos[1].Cluster, reply.Payload.Span).Kind;
            }));

            Assert.Equal(2, replies.Count(kind => kind == GsiReplyKind.InstanceAt));
            Assert.Equal(2, replies.Count(kind => kind == GsiReplyKind.Fail));
            await Task.WhenAll(winners);
        });
    }

    private static string[] Names(int clusters) => [.. "abcdefgh".Take(clusters).Select(name => name.ToString())];
}
