using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>Grains that some of the clusters have replicas of.</summary>
public sealed class LatticePartTests
{
    private const int Keys = 64;
    private const int Seeds = 40;

    private static readonly string[] Names = ["a", "b", "c"];

    [Fact]
    public void Each_grain_is_in_two_of_three_clusters_and_updates_made_anywhere_come_to_both() => Run(async world =>
    {
        await world.Delay(1);
        foreach (var name in Names)
        {
            for (var key = 0; key < Keys; key++)
            {
                await world.Count(name, $"{key}", 1);
            }
        }

        await world.Delay(1);
        Assert.Equal(2 * Keys, Names.Sum(name => world.Contents(name).Count));
        foreach (var name in Names)
        {
            Assert.InRange(world.Contents(name).Count, Keys / 3, Keys);
            Assert.All(Enumerable.Range(0, Keys), key => Assert.Equal(3, world.State<PnCounter>(name, new("counter", $"{key}")).Value));
        }
    });

    [Fact]
    public void A_holder_that_crashes_loses_nothing_that_the_other_one_has_heard_and_has_all_again_when_it_starts() => Run(async world =>
    {
        await world.Delay(1);
        for (var key = 0; key < Keys; key++)
        {
            await world.Count("a", $"{key}", 1);
        }

        await world.Delay(1);
        var before = world.Contents("a");
        world.Crash("a");
        await world.Delay(1);
        Assert.All(
            Enumerable.Range(0, Keys),
            key => Assert.Equal(1, world.State<PnCounter>(world.Live.First(), new("counter", $"{key}")).Value));
        world.Start("a");
        await world.Delay(5);
        Assert.Equal(before, world.Contents("a"));
    });

    [Fact]
    public void Parts_that_nothing_happens_to_cost_no_message() => Run(async world =>
    {
        await world.Delay(60);
        var sent = world.BytesSent;
        await world.Delay(600);
        Assert.Equal(sent, world.BytesSent);
        await world.Count("a", "1", 1);
        await world.Delay(60);
        Assert.InRange(world.BytesSent - sent, 1, 2000);
    });

    [Fact]
    public void A_cluster_more_loses_nothing_though_silos_start_one_by_one_with_the_new_configuration()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, replicas: 2);
        world.Run(async () =>
        {
            ClusterId[] three = [.. Names.Select(name => new ClusterId(name))];
            await world.Delay(1);
            for (var key = 0; key < Keys; key++)
            {
                await world.Count("a", $"{key}", 1);
            }

            await world.Delay(1);
            foreach (var name in (string[])["c", "a", "b"])
            {
                // What the earlier configuration says holds for those that have started with it.
                world.ClustersOf[name] = three;
                if (world.Live.Contains(name))
                {
                    world.Crash(name);
                }

                world.Start(name);
                await world.Delay(20);
                for (var key = 0; key < Keys; key++)
                {
                    await world.Count("a", $"{key}", 1);
                }

                await world.Delay(2);
            }

            foreach (var name in Names)
            {
                Assert.All(Enumerable.Range(0, Keys), key => Assert.Equal(4, world.State<PnCounter>(name, new("counter", $"{key}")).Value));
            }

            // What it was given while others counted it in it keeps until it starts anew, and holds nothing up then.
            world.Crash("a");
            world.Start("a");
            await world.Delay(120);
            Assert.Equal(2 * Keys, Names.Sum(name => world.Contents(name).Count));
            Assert.All(Names.SelectMany(world.Exchanges), e => Assert.All(e.Node.Peers.All, p => Assert.False(e.Node.Peers.IsVisitor(p))));
            var sent = world.BytesSent;
            await world.Delay(600);
            Assert.Equal(sent, world.BytesSent);
        });
    }

    [Fact]
    public void A_cluster_less_loses_nothing_though_silos_start_one_by_one_without_it()
    {
        var world = new LatticeWorld(1, Names, Steady, replicas: 2);
        world.Run(async () =>
        {
            await world.Delay(1);
            await CountAllAsync(world, "a");
            await world.Delay(1);
            foreach (var name in (string[])["a", "b"])
            {
                await StartAnewAsync(world, name, ["a", "b"]);
                await CountAllAsync(world, name);
                await world.Delay(2);
            }

            world.Crash("c");
            foreach (var name in world.Live)
            {
                AssertAllAre(world, name, 3);
            }
        });
    }

    [Fact]
    public void With_stores_one_replica_is_enough_for_a_cluster_more()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, isStored: true, replicas: 1);
        world.Run(async () =>
        {
            await world.Delay(1);
            await CountAllAsync(world, "a");
            await world.Delay(10);
            foreach (var name in (string[])["c", "a", "b"])
            {
                await StartAnewAsync(world, name, Names);
            }

            await world.Delay(120);
            AssertAllAre(world, "b", 1);
        });
    }

    [Fact]
    public void A_silo_with_an_earlier_configuration_that_is_gone_for_good_holds_nothing_up()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, replicas: 2);
        world.Run(async () =>
        {
            await CountAllAndAddAsync(world);
            await StartAnewAsync(world, "a", Names);
            world.Crash("b");
            await world.Delay(1);
            AssertAllAre(world, "a", 1);
            for (var key = 0; key < Keys; key++)
            {
                await world.Put("a", $"{key}", "milk");
            }

            await world.Delay(1);
            for (var key = 0; key < Keys; key++)
            {
                await world.Take("c", $"{key}", "milk");
            }

            // Parts of which it would have a replica by the new configuration wait for it; the others forget what is empty.
            await world.Delay(120);
            var others = world.Live.SelectMany(world.Exchanges).Where(e => !e.Node.Peers.Counts(new(new("b")))).ToList();
            Assert.NotEmpty(others);
            Assert.All(others, e => Assert.DoesNotContain(e.Node.Data.Cells.All, c => c.Key.Type == "set"));
        });
    }

    [Fact]
    public void Who_stops_gives_what_it_may_take_to_no_silo_that_has_a_replica_by_an_earlier_configuration_only()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, replicas: 2);
        world.Run(async () =>
        {
            await world.Delay(1);
            await StartAnewAsync(world, "c", Names);
            await StartAnewAsync(world, "a", Names);
            foreach (var exchange in Names.SelectMany(world.Exchanges))
            {
                exchange.Add(new LatticeClass<EscrowCounter>("seats", replicas: 2));
            }

            var stopping = world.Exchanges("a").Where(e => e.Node.Peers.All.Any(e.Node.Peers.IsVisitor)).ToList();
            Assert.NotEmpty(stopping);
            foreach (var exchange in stopping)
            {
                using var handle = exchange.Open<EscrowCounter>(new("seats", "hall"));
                handle.Update((s, o) => s.Add(o.Source, 10));
            }

            // The visitor answers first.
            await world.Delay(1);
            var way = world.Network.Way(new("c"), new("a"));
            (way.MinDelay, way.MaxDelay) = (TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(0.5));
            var left = Task.WhenAll(stopping.Select(e => e.LeaveAsync(CancellationToken.None)));
            await world.Delay(5);
            Assert.True(left.IsCompletedSuccessfully);
            Assert.Equal(10 * stopping.Count, world.Exchanges("c").Sum(
                e => e.Node.Data.Cells.All.OfType<LatticeCell<EscrowCounter>>().Sum(c => c.State.Rights(e.Node.Data.Id))));
        });
    }

    [Fact]
    public void Nor_does_it_count_for_what_is_known()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, replicas: 2);
        world.Run(async () =>
        {
            await world.Delay(1);
            await StartAnewAsync(world, "c", Names);
            await StartAnewAsync(world, "a", Names);
            foreach (var exchange in Names.SelectMany(world.Exchanges))
            {
                exchange.Add(new LatticeClass<PnCounter>("seen", replicas: 2));
            }

            world.Network.Cut(new("a"), new("c"));
            var (key, known) = (new GrainKey("seen", "1"), new List<int>());
            foreach (var exchange in world.Exchanges("a").Where(e => e.Node.Peers.All.Any(e.Node.Peers.IsVisitor)))
            {
                using var handle = exchange.Open<PnCounter>(key);
                handle.Update((s, o) => s.Add(o.Source, 1));
                await world.Delay(2);
                Assert.Contains(exchange.Node.Peers.All, p => p.Acknowledged == exchange.Node.Data.Last);
                known.Add(exchange.Node.Peers.Knowing(key, exchange.Node.Data.Last));
            }

            Assert.NotEmpty(known);
            Assert.All(known, count => Assert.Equal(1, count));
        });
    }

    [Fact]
    public void A_holder_that_crashes_while_a_cluster_is_added_loses_nothing_that_another_one_has_heard()
    {
        var world = new LatticeWorld(1, ["a", "b"], Steady, replicas: 2);
        world.Run(async () =>
        {
            await CountAllAndAddAsync(world);
            await StartAnewAsync(world, "a", Names);
            await CountAllAsync(world, "c");
            await world.Delay(20);
            foreach (var name in Names)
            {
                world.Crash(name);
                await world.Delay(1);
                world.ClustersOf[name] = [.. Names.Select(n => new ClusterId(n))];
                world.Start(name);
                await world.Delay(20);
            }

            foreach (var name in Names)
            {
                AssertAllAre(world, name, 2);
            }
        });
    }

    [Fact]
    public void A_cluster_that_no_configuration_gives_a_replica_is_told_nothing_and_does_not_count_for_what_is_known() => Run(async world =>
    {
        await world.Delay(1);
        var (key, held) = (new GrainKey("counter", "1"), Names.Where(name => world.IsHeldIn(name, new("counter", "1"))).ToArray());
        await world.Count(held[0], "1", 1);
        await world.Delay(1);
        var knowing = Names.SelectMany(world.Exchanges).Where(e => e.Node.Data.Cells.Find(key) is not null).ToList();
        Assert.Equal(2, knowing.Count);
        Assert.All(knowing, e => Assert.Equal(2, e.Clusters));
        Assert.Equal([2, 2], knowing.Select(e => e.Node.Peers.Knowing(key, e.Node.Data.Last)));
    });

    [Fact]
    public void Replicas_of_grains_that_two_of_three_clusters_have_converge_under_all_faults_with_stores_and_without()
    {
        foreach (var seed in SimulationSeed.FromEnvironment(Seeds))
        {
            var violation = new LatticeSchedule(seed.Value, isStored: seed.Value % 2 == 0, replicas: 2).Run();
            Assert.True(violation is null, $"seed {seed}: {violation}");
        }
    }

    [Fact]
    public void Stored_rows_are_of_the_part()
    {
        var group = new LatticeGroup(LatticeDomain.Free, 2, 17, "cart");
        Assert.Equal("lattice-part/eu/cart/17/", group.RowsOf(new("eu"), "cart"));
        Assert.Equal("lattice/eu/cart/", new LatticeGroup(LatticeDomain.Free).RowsOf(new("eu"), "cart"));
    }

    private static async Task CountAllAsync(LatticeWorld world, string name)
    {
        for (var key = 0; key < Keys; key++)
        {
            await world.Count(name, $"{key}", 1);
        }
    }

    /// <summary>"a" counts once, and "c" begins, which the others do not know yet.</summary>
    private static async Task CountAllAndAddAsync(LatticeWorld world)
    {
        await world.Delay(1);
        await CountAllAsync(world, "a");
        await world.Delay(1);
        await StartAnewAsync(world, "c", Names);
    }

    private static async Task StartAnewAsync(LatticeWorld world, string name, string[] clusters)
    {
        world.ClustersOf[name] = [.. clusters.Select(c => new ClusterId(c))];
        if (world.Live.Contains(name))
        {
            world.Crash(name);
        }

        world.Start(name);
        await world.Delay(20);
    }

    private static void AssertAllAre(LatticeWorld world, string name, long count) => Assert.All(
        Enumerable.Range(0, Keys), key => Assert.Equal(count, world.State<PnCounter>(name, new("counter", $"{key}")).Value));

    private static SimulatedNetworkOptions Steady { get; } = new()
    {
        MinDelay = TimeSpan.FromMilliseconds(50),
        MaxDelay = TimeSpan.FromMilliseconds(50),
    };

    private static void Run(Func<LatticeWorld, Task> test)
    {
        var world = new LatticeWorld(1, Names, Steady, replicas: 2);
        world.Run(() => test(world));
    }
}
