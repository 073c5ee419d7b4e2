using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>
/// Replicas of whole clusters under losses, restarts and cuts. More than 400 lines: every test has a history of its own, and all share how
/// it is made.
/// </summary>
public sealed class LatticeReplicationTests
{
    private static readonly SimulatedNetworkOptions Steady = new()
    {
        MinDelay = TimeSpan.FromMilliseconds(50),
        MaxDelay = TimeSpan.FromMilliseconds(50),
    };

    [Fact]
    public void An_update_is_known_everywhere_after_an_epoch_and_one_way()
    {
        var world = new LatticeWorld(1, ["a", "b", "c"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            await world.Count("a", "likes", 1);
            await world.Delay(0.16);
            Assert.Equal((1, 1), (Likes(world, "b"), Likes(world, "c")));
            await world.Count("b", "likes", 2);
            await world.Delay(0.16);
            Assert.Equal((3, 3), (Likes(world, "a"), Likes(world, "c")));
        });
    }

    [Fact]
    public void Updates_of_one_epoch_are_one_message_a_cluster_and_no_update_is_no_message()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            await world.Count("a", "likes", 1);
            await world.Delay(60);
            var before = world.Network.Counts.Sent;
            await world.Delay(3600);
            Assert.Equal(before, world.Network.Counts.Sent);
            for (var i = 0; i < 1000; i++)
            {
                await world.Count("a", "likes", 1);
            }

            // A frame and its acknowledgement; then each is told, once, and confirms, that the other knows.
            await world.Delay(60);
            Assert.InRange(world.Network.Counts.Sent - before, 2, 6);
            Assert.Equal(1001, Likes(world, "b"));
        });
    }

    [Fact]
    public void Both_sides_of_a_cut_go_on_and_agree_within_two_epochs_and_a_round_trip_of_its_end()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            await world.Put("a", "cart", "milk");
            await world.Put("a", "cart", "bread");
            await world.Delay(1);
            world.Network.Isolate(new("a"));
            for (var i = 0; i < 100; i++)
            {
                await world.Count("a", $"{i}", 1);
                await world.Count("b", $"{i}", 2);
                await world.Delay(0.6);
            }

            await world.Take("a", "cart", "milk");
            await world.Put("b", "cart", "milk");
            await world.Put("b", "cart", "eggs");
            await world.Delay(1);
            Assert.Equal("bread", world.Contents("a")["set/cart"]);
            Assert.Equal("bread,eggs,milk", world.Contents("b")["set/cart"]);
            world.Network.Mend(new("a"), new("b"));
            await world.Delay(0.05 + 0.3);
            Assert.Equal("bread,eggs,milk", world.Contents("a")["set/cart"]);
            Assert.Equal(world.Contents("a"), world.Contents("b"));
            Assert.Equal(3, world.State<PnCounter>("a", new("counter", "7")).Value);
        });
    }

    [Fact]
    public void What_a_dead_cluster_told_one_other_alone_comes_to_all()
    {
        var world = new LatticeWorld(1, ["a", "b", "c"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            world.Network.Cut(new("a"), new("c"));
            await world.Count("a", "likes", 1);
            await world.Delay(1);
            world.Crash("a");
            Assert.Equal((1, 0), (Likes(world, "b"), Likes(world, "c")));
            await world.Delay(30);
            Assert.Equal(1, Likes(world, "c"));
        });
    }

    [Fact]
    public void What_another_one_told_while_less_was_lacking_is_asked_for_once_that_has_come()
    {
        var world = new LatticeWorld(
            1, ["a", "b", "s"], Steady, new() { RepairAfter = TimeSpan.FromSeconds(5), StatusInterval = TimeSpan.FromSeconds(100) });
        world.Run(async () =>
        {
            await world.Delay(1);
            var way = world.Network.Way(new("s"), new("a"));
            (way.MinDelay, way.MaxDelay) = (TimeSpan.FromSeconds(3), TimeSpan.FromSeconds(3));
            await world.Count("s", "likes", 1);
            await world.Delay(0.3);
            await world.Count("a", "other", 1);
            await world.Delay(0.3);

            // b acknowledges what a makes, and tells with it that it has more of s; the second of it never comes to a.
            way.Loss = 1;
            await world.Count("s", "likes", 1);
            await world.Delay(0.3);
            await world.Count("a", "other", 1);
            await world.Delay(0.8);
            Assert.Equal((0, 2), (Likes(world, "a"), Likes(world, "b")));
            await world.Delay(2);
            Assert.Equal(1, Likes(world, "a"));
            await world.Delay(10);
            Assert.Equal(2, Likes(world, "a"));
        });
    }

    [Fact]
    public void A_cluster_that_starts_anew_or_late_has_all_that_the_others_know()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            for (var i = 0; i < 50; i++)
            {
                await world.Count("a", $"{i}", 1);
                await world.Put("b", $"{i}", "x");
            }

            await world.Delay(5);
            world.Crash("a");
            await world.Delay(5);
            world.Start("a");
            world.Clusters.Add(new("c"));
            world.Start("c");
            await world.Delay(5);
            Assert.Equal(100, world.Contents("b").Count);
            Assert.Equal(world.Contents("b"), world.Contents("a"));
            Assert.Equal(world.Contents("b"), world.Contents("c"));
        });
    }

    [Fact]
    public void More_than_a_frame_holds_is_asked_for_page_by_page()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, new() { MaxFrameBytes = 1024 });
        world.Run(async () =>
        {
            await world.Delay(1);
            world.Network.Isolate(new("a"));
            for (var i = 0; i < 2000; i++)
            {
                await world.Put(i % 2 == 0 ? "a" : "b", $"{i}", "milk");
            }

            world.Network.Mend(new("a"), new("b"));
            await world.Delay(30);
            Assert.Equal(2000, world.Contents("a").Count);
            Assert.Equal(world.Contents("a"), world.Contents("b"));
        });
    }

    [Fact]
    public void Empty_grains_are_forgotten_once_all_have_seen_them_and_can_be_used_again()
    {
        var world = new LatticeWorld(1, ["a", "b", "c"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            await world.Put("a", "cart", "milk");
            await world.Delay(1);
            world.Network.Isolate(new("c"));
            await world.Take("b", "cart", "milk");
            await world.Delay(60);
            Assert.All(world.Live, c => Assert.Equal(1, world[c].Node.Data.Cells.Count));
            world.Network.Heal();
            await world.Delay(60);
            Assert.All(world.Live, c => Assert.Equal(0, world[c].Node.Data.Cells.Count));
            await world.Put("a", "cart", "eggs");
            await world.Delay(1);
            Assert.All(world.Live, c => Assert.Equal("eggs", world.Contents(c)["set/cart"]));
        });
    }

    [Fact]
    public void Many_updates_of_one_grain_in_an_epoch_take_no_more_bytes_than_its_state()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            await world.Put("b", "cart", "eggs");
            await world.Put("a", "cart", "milk");
            await world.Delay(30);
            var before = world.BytesSent;
            for (var i = 0; i < 1000; i++)
            {
                await world.Put("a", "cart", "milk");
                await world.Take("a", "cart", "bread");
            }

            await world.Delay(30);
            Assert.Equal("eggs,milk", world.Contents("b")["set/cart"]);
            Assert.InRange(world.BytesSent - before, 1, 1000);
        });
    }

    [Fact]
    public void Updates_of_one_grain_over_many_epochs_while_a_cluster_is_away_take_no_more_than_its_state()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            world.Network.Isolate(new("b"));
            for (var i = 0; i < 500; i++)
            {
                await world.Put("a", "cart", "milk");
                await world.Count("a", "likes", 1);
                await world.Delay(0.2);
                await world.Take("a", "cart", "milk");
                await world.Count("a", "likes", 1);
                await world.Delay(0.2);
            }

            await world.Put("a", "cart", "milk");
            world.Network.Heal();
            var before = world.BytesSent;
            await world.Delay(30);
            Assert.Equal("milk", world.Contents("b")["set/cart"]);
            Assert.InRange(world.BytesSent - before, 1, 1000);
        });
    }

    [Fact]
    public void A_cluster_that_is_gone_for_good_holds_nothing_up_once_it_is_taken_out_and_one_comes_in_without_a_pause()
    {
        var world = new LatticeWorld(1, ["a", "b", "c"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            await world.Put("a", "cart", "milk");
            await world.Delay(1);
            world.Crash("c");
            await world.Take("b", "cart", "milk");
            await world.Delay(60);
            Assert.Equal(1, world["a"].Counts().Empty);
            world.Clusters.Remove(new("c"));
            world.Clusters.Add(new("d"));
            world.Start("d");
            for (var i = 0; i < 100; i++)
            {
                await world.Count("a", "likes", 1);
                await world.Delay(0.1);
                Assert.InRange(Likes(world, "b"), i - 2, i + 1);
            }

            await world.Delay(20);
            Assert.All(world.Live, name => Assert.Equal((1, 0), (world[name].Counts().Grains, world[name].Counts().Empty)));
            Assert.Equal(100, Likes(world, "d"));
        });
    }

    [Fact]
    public void What_a_cluster_lacks_is_told_by_class_with_its_age()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            world.Network.Isolate(new("b"));
            await world.Count("a", "1", 1);
            await world.Delay(5);
            await world.Count("a", "2", 1);
            await world.Put("a", "cart", "milk");
            await world.Delay(5);
            var lags = world["a"].Lags().OrderBy(l => l.GrainClass, StringComparer.Ordinal).ToArray();
            Assert.Equal([("b", "counter", 2), ("b", "set", 1)], lags.Select(l => (l.Cluster.Name, l.GrainClass, l.Grains)));
            Assert.InRange(lags[0].Lag.TotalSeconds, 9.8, 10.2);
            Assert.InRange(lags[1].Lag.TotalSeconds, 4.8, 5.2);
            world.Network.Heal();
            await world.Delay(1);
            Assert.Empty(world["a"].Lags());
        });
    }

    [Fact]
    public void What_was_made_before_others_were_known_is_not_acknowledged_until_they_have_it()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady);
        world.Run(async () =>
        {
            world.Network.Hold(new("a"), new("b"));
            world.Network.Hold(new("b"), new("a"));
            await world.Count("a", "x", 1);
            world.Network.Release(new("b"), new("a"));
            await world.Delay(2);
            Assert.Equal((new ClusterId("b"), "counter", 1), Of(Assert.Single(world["a"].Lags())));
            world.Network.Release(new("a"), new("b"));
            await world.Delay(5);
            Assert.Empty(world["a"].Lags());

            static (ClusterId, string, int) Of(LatticeLag lag) => (lag.Cluster, lag.GrainClass, lag.Grains);
        });
    }

    [Fact]
    public void Grains_that_share_a_bucket_are_asked_for_in_pages_of_the_size_of_a_message()
    {
        var keys = Enumerable.Range(0, 100_000).Select(i => $"{i}").Where(k => LatticeCells.BucketOf(new("set", k)) == 7).Take(50)
            .ToArray();
        var world = new LatticeWorld(1, ["a", "b"], Steady, new() { MaxFrameBytes = 1024 });
        world.Run(async () =>
        {
            world.Crash("b");
            foreach (var key in keys)
            {
                await world.Put("a", key, new string('x', 500));
            }

            world.Start("b");
            await world.Delay(20);
            Assert.Equal(50, world.Contents("b").Count);
        });
        Assert.InRange(world.LargestMessage, 1024, 2500);
    }

    [Fact]
    public void A_grain_is_opened_at_the_same_cost_however_many_sources_have_been_collected()
    {
        var world = new LatticeWorld(1, ["a"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            await world.At("a", e =>
            {
                var many = Enumerable.Range(1, 2_000).Aggregate(
                    VectorClock.Bottom, (all, i) => all.Merge(VectorClock.Of(new ReplicaId((ulong)i), 5)));
                e.Node.Data.Raise(many);
                e.Node.Data.Inherit(many);
                Open(e, "first");
                var before = GC.GetAllocatedBytesForCurrentThread();
                Open(e, "second");
                Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1, 8_000);
            });
        });

        static void Open(LatticeExchange exchange, string key)
        {
            using var handle = exchange.Open<Dotted<OrSet<string>>>(new("set", key));
        }
    }

    [Fact]
    public void Changes_of_a_grain_that_is_deactivated_end()
    {
        var world = new LatticeWorld(1, ["a"]);
        world.Run(async () =>
        {
            await world.Delay(1);
            await world.At("a", e =>
            {
                var handle = e.Open<PnCounter>(new("counter", "likes"));
                handle.Dispose();
                var next = handle.ChangesAsync(CancellationToken.None).GetAsyncEnumerator().MoveNextAsync();
                Assert.True(next.AsTask().IsCanceled);
            });
        });
    }

    [Fact]
    public void A_class_that_one_cluster_lacks_holds_up_no_other_grain()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            var known = Task.CompletedTask;
            await world.At("a", e =>
            {
                e.Add(new LatticeClass<BoolOr>("flag"));
                using var handle = e.Open<BoolOr>(new("flag", "dark"));
                handle.Update((_, _) => new BoolOr(true));
                known = handle.KnownInAsync(2, CancellationToken.None);
            });
            await world.Count("a", "likes", 1);
            var likes = KnownAsync(world, "likes", 2);
            await world.Delay(1);
            Assert.Equal((false, true), (known.IsCompleted, likes.IsCompletedSuccessfully));
            Assert.Equal(1, Likes(world, "b"));
            Assert.Equal(new GrainKey("flag", "dark"), Assert.Single(world["b"].Node.Data.Quarantine).Grain);
        });
    }

    [Fact]
    public void An_update_can_be_awaited_until_other_clusters_know_it()
    {
        var world = new LatticeWorld(1, ["a", "b", "c"], Steady);
        world.Run(async () =>
        {
            await world.Delay(1);
            world.Network.Isolate(new("c"));
            await world.Count("a", "likes", 1);
            var (two, three) = (KnownAsync(world, "likes", 2), KnownAsync(world, "likes", 3));
            await world.Delay(0.4);
            Assert.Equal((true, false), (two.IsCompletedSuccessfully, three.IsCompleted));
            world.Network.Heal();
            await world.Delay(0.4);
            Assert.True(three.IsCompletedSuccessfully);
        });
    }

    private static Task KnownAsync(LatticeWorld world, string key, int clusters) =>
        world["a"].KnownInAsync(world["a"].Node.Data.Cells.Find(new("counter", key))!, clusters, CancellationToken.None);

    private static long Likes(LatticeWorld world, string cluster) => world.State<PnCounter>(cluster, new("counter", "likes")).Value;
}
