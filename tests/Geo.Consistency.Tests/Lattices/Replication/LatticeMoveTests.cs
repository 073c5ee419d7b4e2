using Geo.Consistency.Lattices;
using Geo.Consistency.Tests.Lattices.Kit;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>Another list of clusters, or another number of replicas, under grains that some of the clusters have replicas of.</summary>
public sealed class LatticeMoveTests
{
    private const int Keys = 64;

    private static readonly string[] Names = ["a", "b", "c"];

    [Fact]
    public void A_replica_that_begins_with_another_list_takes_over_though_the_first_messages_are_lost()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, replicas: 2);
        world.Run(async () =>
        {
            await world.Delay(1);
            await CountAllAsync(world, "a");
            await world.Delay(1);
            world.Network.Options.Loss = 1;
            Restart(world, "a", Names);
            await world.Delay(5);
            world.Network.Options.Loss = 0;
            await world.Delay(30);

            // "b" still counts it among those that have all.
            Assert.Equal(Keys, world.Contents("a").Count);
        });
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(2, 1)]
    [InlineData(2, 3)]
    [InlineData(3, 2)]
    public void Another_number_of_replicas_loses_nothing_though_silos_stop_and_start_with_it_one_by_one(int before, int after)
    {
        var world = new LatticeWorld(1, Names, Steady, replicas: before);
        world.Run(async () =>
        {
            await world.Delay(1);
            await CountAllAsync(world, "a");
            foreach (var name in Names)
            {
                Assert.True(await world.StopAsync(name));
                world.ReplicasOf[name] = after;
                world.Start(name);
                await world.Delay(20);
                await CountAllAsync(world, name);
                await world.Delay(1);
            }

            Assert.All(Names, name => AssertAllAre(world, name, 4));
        });
    }

    [Fact]
    public void Who_stops_does_not_take_one_that_has_begun_anew_for_the_one_before_that_had_all()
    {
        var world = new LatticeWorld(1, Names, Steady, replicas: 2);
        world.Run(async () =>
        {
            await world.Delay(1);
            await CountAllAsync(world, "a");
            await world.Delay(1);

            // The second time each knows lives of others that had all, had a part by the settings before, and have none now.
            foreach (var name in (string[])[.. Names, .. Names])
            {
                Assert.True(await world.StopAsync(name));
                world.ReplicasOf[name] = 1;
                world.Start(name);
                await world.Delay(5);
            }

            await world.Delay(30);
            Assert.All(Names, name => AssertAllAre(world, name, 1));
        });
    }

    [Fact]
    public void What_one_cluster_alone_has_outlives_its_orderly_stop()
    {
        var world = new LatticeWorld(1, Names, Steady, replicas: 1, hasStock: true);
        world.Run(async () =>
        {
            await world.Delay(1);
            for (var key = 0; key < Keys; key++)
            {
                await world.Count("a", $"{key}", 1);
                await world.Stock("a", $"{key}", 5);
            }

            await world.Delay(1);
            foreach (var name in Names)
            {
                Assert.True(await world.StopAsync(name));
                world.Start(name);
                await world.Delay(30);
            }

            AssertAllAre(world, "a", 1);
            AssertHoldersMayTake(world, 5);
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_one_keeps_alone_for_a_holder_that_is_down_has_not_moved(bool isGuest)
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, new() { HotRate = isGuest ? 1 : 0 }, replicas: 1);
        world.Run(async () =>
        {
            await world.Delay(1);
            var grain = Enumerable.Range(0, Keys).Select(key => new GrainKey("counter", $"{key}")).First(g => !world.IsHeldIn("a", g));
            for (var call = 0; call < 4; call++)
            {
                await world.Count("a", grain.Key, 1);
            }

            await world.Delay(10);
            Assert.Equal((isGuest, 0), (world.IsHeldIn("a", grain), Moving()));
            Assert.True(await world.StopAsync("b"));
            await world.Delay(20);
            Assert.Equal(1, Moving());
            world.Start("b");
            await world.Delay(30);
            Assert.Equal((4, 0), (world.State<PnCounter>("b", grain).Value, Moving()));
        });

        int Moving() => world.Exchanges("a").Count(e => e.IsMoving);
    }

    [Fact]
    public void What_may_be_taken_comes_to_a_cluster_that_has_replicas_by_the_new_list()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, replicas: 2, hasStock: true);
        world.Run(async () =>
        {
            await world.Delay(1);
            for (var key = 0; key < Keys; key++)
            {
                await world.Stock("a", $"{key}", 2);
                await world.Stock("b", $"{key}", 3);
            }

            await world.Delay(1);
            foreach (var name in (string[])["a", "b", "c"])
            {
                if (world.Live.Contains(name))
                {
                    Assert.True(await world.StopAsync(name));
                }

                world.ClustersOf[name] = [.. Names.Select(n => new ClusterId(n))];
                world.Start(name);
                await world.Delay(30);
            }

            AssertHoldersMayTake(world, 5);
        });
    }

    [Fact]
    public void What_may_be_taken_and_comes_to_the_only_holder_while_it_stops_outlives_it()
    {
        Assert.Equal(5, AtHolder(null));
        Assert.Equal(0, AtHolder(LatticeRule.GuestsGiveFirst));
        Assert.Equal(0, AtHolder(LatticeRule.LateRightsAreSheltered));

        static long AtHolder(LatticeRule? off) => Rules.Without(off, () => RightsAfter(async (world, keeper) =>
        {
            world.Start("b");
            while (keeper.Rights.HasAny)
            {
                await world.Delay(0.01);
            }

            // What a has given is on its way when b, which has nothing yet, begins to stop.
            world.Network.Hold(new("a"), new("b"));
            var stop = world.StopAsync("b");
            await world.Delay(1);
            world.Network.Release(new("a"), new("b"));
            Assert.True(await stop);
        }));
    }

    [Fact]
    public void What_may_be_taken_goes_to_nobody_who_begins_and_stops_before_it_has_heard_who_has_it()
    {
        Assert.Equal(5, AtHolder(null));
        Assert.Equal(0, AtHolder(LatticeRule.HeirsAnswer));

        // a hears b, and b nothing of a.
        static long AtHolder(LatticeRule? off) => Rules.Without(off, () => RightsAfter(async (world, _) =>
        {
            world.Network.Hold(new("a"), new("b"));
            world.Start("b");
            await world.Delay(2);
            Assert.True(await world.StopAsync("b"));
            world.Network.Release(new("a"), new("b"));
        }));
    }

    [Fact]
    public void Of_a_holder_that_has_left_the_other_one_hands_all_to_a_cluster_that_has_none()
    {
        var world = new LatticeWorld(1, Names, Steady, replicas: 2);
        world.Run(async () =>
        {
            await world.Delay(1);
            await CountAllAsync(world, "a");
            await world.Delay(1);
            Assert.True(await world.StopAsync("c"));
            foreach (var name in (string[])["a", "b"])
            {
                Assert.True(await world.StopAsync(name));
                world.ClustersOf[name] = [new("a"), new("b")];
                world.Start(name);
                await world.Delay(30);
            }

            AssertAllAre(world, "a", 1);
            AssertAllAre(world, "b", 1);
        });
    }

    [Fact]
    public void What_is_kept_for_the_only_holder_is_not_lost_where_its_keeper_stops_before_it_has_heard_that_it_has_begun()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, replicas: 1);
        world.Run(async () =>
        {
            await world.Delay(1);
            var likes = Enumerable.Range(0, Keys).Select(key => new GrainKey("counter", $"{key}")).First(g => !world.IsHeldIn("a", g));
            await world.Count("b", likes.Key, 1);
            Assert.True(await world.StopAsync("b"));
            world.Network.Hold(new("b"), new("a"));
            world.Start("b");
            await world.Delay(0.1);
            var stop = world.StopAsync("a");
            await world.Delay(1);
            world.Network.Release(new("b"), new("a"));
            Assert.True(await stop);
            await world.Delay(10);
            Assert.Equal(1, world.State<PnCounter>("b", likes).Value);
        });
    }

    /// <summary>
    /// What the only holder of a counter may take of five that it had, once it was stopped, so that a kept them, something happened, and it
    /// has begun anew.
    /// </summary>
    private static long RightsAfter(Func<LatticeWorld, LatticeNode, Task> something)
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, replicas: 1, hasStock: true);
        return world.Scheduler.Run(async () =>
        {
            await world.Delay(1);
            var stock = Enumerable.Range(0, Keys).Select(key => new GrainKey("stock", $"{key}")).First(g => !world.IsHeldIn("a", g));
            await world.Stock("b", stock.Key, 5);
            Assert.True(await world.StopAsync("b"));
            await something(world, world.Exchanges("a").Single(e => e.Node.Data.Cells.Find(stock) is not null).Node);
            world.Start("b");
            await world.Delay(30);
            var state = world.State<EscrowCounter>("b", stock);
            Assert.Equal(5, state.Value);
            return state.Rights(await world.SourceOfAsync("b", stock));
        });
    }

    private static void AssertHoldersMayTake(LatticeWorld world, long amount)
    {
        for (var key = 0; key < Keys; key++)
        {
            var grain = new GrainKey("stock", $"{key}");
            var holders = world.Live.Where(name => world.IsHeldIn(name, grain)).ToList();
            Assert.Equal(amount, world.State<EscrowCounter>(holders[0], grain).Value);
            Assert.Equal(amount, holders.SelectMany(world.Exchanges).Sum(
                e => e.Node.Data.Cells.Find(grain) is LatticeCell<EscrowCounter> cell ? cell.State.Rights(e.Node.Data.Id) : 0));
        }
    }

    private static async Task CountAllAsync(LatticeWorld world, string name)
    {
        for (var key = 0; key < Keys; key++)
        {
            await world.Count(name, $"{key}", 1);
        }
    }

    private static void Restart(LatticeWorld world, string name, string[] clusters)
    {
        world.ClustersOf[name] = [.. clusters.Select(c => new ClusterId(c))];
        world.Crash(name);
        world.Start(name);
    }

    private static void AssertAllAre(LatticeWorld world, string name, long count) => Assert.All(
        Enumerable.Range(0, Keys), key => Assert.Equal(count, world.State<PnCounter>(name, new("counter", $"{key}")).Value));

    private static SimulatedNetworkOptions Steady { get; } = new()
    {
        MinDelay = TimeSpan.FromMilliseconds(50),
        MaxDelay = TimeSpan.FromMilliseconds(50),
    };
}
