using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.VersionedLeader;

/// <summary>What the leader-based views once lost without a fault that their documentation named.</summary>
public sealed class LeaderFaultTests
{
    private static readonly string[] Two = ["a", "b"];
    private static readonly string[] Three = ["a", "b", "c"];

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void A_leader_that_restarts_in_good_order_and_is_called_before_its_link_is_up_begins_no_history_of_its_own(int clusters)
    {
        var names = Three[..clusters];
        var world = Started(names);
        world.Run(async () =>
        {
            await AddAsync(world, "a", 10);
            await world.StopAsync("a");
            world.Network.Isolate(new("a"));
            world.Add("a");
            await world["a"].Do(view => view.Enqueue("late"));
            await world.Delay(5_000);
            Assert.Equal(0, world["a"].View.Version);
            Assert.Equal(10, world["b"].View.Version);
            world.Network.Heal();
            await Task.WhenAll(names.Select(c => world[c].Do(view => view.RefreshAsync())));
            await world["a"].Do(view => view.ConfirmAsync());
            await Task.WhenAll(names.Select(c => world[c].Do(view => view.RefreshAsync())));
        });

        Assert.All(names, c => Assert.Equal(11, world[c].View.Version));
        Assert.All(names, c => Assert.Equal("a9", world[c].View.Confirmed.Lines[9]));
    }

    [Fact]
    public void A_leader_that_stops_lets_another_cluster_lead_meanwhile()
    {
        var world = Started(Two);
        world.Run(async () =>
        {
            await AddAsync(world, "a", 3);
            await world.StopAsync("a");
            await AddAsync(world, "b", 2);
        });

        Assert.Equal(5, world["b"].View.Version);
    }

    [Fact]
    public void What_is_idle_survives_that_all_clusters_restart_one_after_the_other()
    {
        var world = Started(Three);
        world.Run(async () =>
        {
            await AddAsync(world, "a", 3);
            foreach (var cluster in Three)
            {
                await world.DeactivateAsync(cluster);
            }

            foreach (var cluster in Three)
            {
                await world.StopAsync(cluster);
                await world.Delay(1_000);
                world.Join(cluster);
                world.Network.Heal();
                await world.Delay(3_000);
            }

            await world.Activate("c").Do(view => view.RefreshAsync());
        });

        Assert.Equal(3, world["c"].View.Version);
    }

    [Fact]
    public void Two_clusters_with_different_configurations_lose_nothing()
    {
        for (var seed = 1; seed <= 20; seed++)
        {
            var world = new LeaderWorld("c", Three) { Confirmation = UpdateConfirmation.Replicated };
            var former = new ReplicaConfiguration(1, [new("a"), new("b")], []);
            var next = new ReplicaConfiguration(2, [new("a"), new("b"), new("c")], [new("a"), new("b")]);
            (world.Configurations["a"], world.Configurations["b"], world.Configurations["c"]) = (former, former, next);
            Array.ForEach(Three, c => world.Add(c));
            var random = new Random(seed);
            world.Run(async () =>
            {
                var adding = Task.WhenAll(Three.Select(async c =>
                {
                    for (var i = 0; i < 10; i++)
                    {
                        await world[c].Do(view => view.Enqueue($"{c}{i}"));
                        await world.Delay(random.Next(400));
                    }
                }));
                await world.Delay(random.Next(1_500));
                world.Configurations["a"] = next;
                await world.Delay(random.Next(1_500));
                world.Configurations["b"] = next;
                await adding;
                await Task.WhenAll(Three.Select(c => world[c].Do(view => view.ConfirmAsync())));
                await Task.WhenAll(Three.Select(c => world[c].Do(view => view.RefreshAsync())));
            });

            var lines = world["a"].View.Confirmed.Lines;
            Assert.Equal(30, lines.Distinct().Count());
            Assert.Equal(30, lines.Count);
            Assert.All(Three, c => Assert.Equal(lines, world[c].View.Confirmed.Lines));
        }
    }

    [Theory]
    [InlineData(UpdateConfirmation.Leader)]
    [InlineData(UpdateConfirmation.Replicated)]
    public void A_condition_is_refused_when_another_update_came_between_and_with_it_what_was_raised_on_it(UpdateConfirmation confirmation)
    {
        var world = Started(Three, confirmation);
        world.Run(async () =>
        {
            await AddAsync(world, "a", 2);
            await Task.WhenAll(Three.Select(c => world[c].Do(view => view.RefreshAsync())));
            world.Network.Isolate(new("b"));
            await AddAsync(world, "c", 1);
            var first = world["b"].Try("b1");
            var second = world["b"].Try("b2", "b3");
            await world["b"].Do(view => view.Enqueue("b4"));
            await world.Delay(500);
            world.Network.Heal();
            Assert.False(await first);
            Assert.False(await second);
            await world["b"].Do(view => view.RefreshAsync());
            Assert.True(await world["b"].Try("b5"));
        });

        Assert.Equal(["a0", "a1", "c0", "b4", "b5"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void A_condition_queued_at_a_cluster_that_comes_to_lead_is_decided_on_what_it_was_raised_on()
    {
        var world = Started(Three, UpdateConfirmation.Replicated);
        world.Run(async () =>
        {
            await AddAsync(world, "a", 1);
            await Task.WhenAll(Three.Select(c => world[c].Do(view => view.RefreshAsync())));
            world.Cut("a", "b");
            world.Cut("b", "a");
            await AddAsync(world, "c", 1);
            var conditional = world["b"].Try("b1");
            world.Crash("a");
            world.Network.Heal();
            Assert.False(await conditional);
        });

        Assert.Equal(["a0", "c0"], world["b"].View.Confirmed.Lines);
    }

    [Theory]
    [InlineData(CountingSerializer.Unwritable)]
    [InlineData(CountingSerializer.Throws)]
    public void One_update_whose_state_cannot_be_written_stands_in_nobodys_way(string unwritable)
    {
        var world = Started(Two);
        world.Run(async () =>
        {
            foreach (var cluster in Two)
            {
                await world[cluster].Do(async view =>
                {
                    view.Enqueue($"{cluster}1");
                    view.Enqueue([$"{cluster}2", unwritable]);
                    var refused = view.ConfirmAsync();
                    view.Enqueue($"{cluster}3");
                    await Assert.ThrowsAsync<GeoSerializationException>(() => refused);
                    await view.ConfirmAsync();
                    Assert.Empty(view.Unconfirmed);
                });
            }

            await world["a"].Do(view => view.RefreshAsync());
        });

        Assert.Equal(["a1", "a3", "b1", "b3"], world["a"].View.Confirmed.Lines);
        Assert.Equal(["a1", "a3", "b1", "b3"], world["b"].View.Confirmed.Lines);
    }

    [Fact]
    public void One_update_that_cannot_be_written_stands_in_nobodys_way()
    {
        var world = Started(Two);
        world.Run(() => world["b"].Do(async view =>
        {
            view.Enqueue("b1");
            view.Enqueue(CountingSerializer.Unsendable);
            var refused = view.ConfirmAsync();
            view.Enqueue("b2");
            await Assert.ThrowsAsync<GeoSerializationException>(() => refused);
            await view.ConfirmAsync();
            Assert.False(world["b"].View.Issue is { Permanent: true });
        }));

        Assert.Equal(["b1", "b2"], world["a"].View.Confirmed.Lines);
    }

    [Fact]
    public void Where_two_clusters_must_agree_nothing_is_confirmed_while_one_is_away_and_local_operations_go_on()
    {
        var world = Started(Two, UpdateConfirmation.Replicated);
        world.Run(async () =>
        {
            await AddAsync(world, "a", 1);
            world.Network.Isolate(new("b"));
            await world["a"].Do(view => view.Enqueue("a1"));
            await world.Delay(10_000);
            Assert.Equal((1, 2), (world["a"].View.Version, world["a"].View.Tentative.Lines.Count));
            Assert.Equal("confirming with a majority of the clusters", world["a"].View.Issue!.What);
            world.Network.Heal();
            await world["a"].Do(view => view.ConfirmAsync());
            Assert.Null(world["a"].View.Issue);
        });
    }

    [Fact]
    public void Another_cluster_leads_when_the_leaders_is_out_of_reach_for_long_and_a_majority_is_there()
    {
        var world = Started(Three, UpdateConfirmation.Replicated);
        world.Run(async () =>
        {
            await AddAsync(world, "a", 2);
            await world.Delay(1_000);
            world.Network.Isolate(new("a"));
            await world["b"].Do(async view =>
            {
                view.Enqueue("b0");
                await view.ConfirmAsync();
            });
            Assert.Equal(["a0", "a1", "b0"], world["b"].View.Confirmed.Lines);
            world.Network.Heal();
            await AddAsync(world, "a", 1);
        });

        Assert.Equal(["a0", "a1", "b0", "a0"], world["a"].View.Confirmed.Lines);
    }

    [Theory]
    [InlineData(UpdateConfirmation.Replicated)]
    [InlineData(UpdateConfirmation.Leader)]
    public void The_cluster_that_the_class_names_leads_again_when_it_is_back_and_no_update_is_lost_on_the_way(
        UpdateConfirmation confirmation)
    {
        var world = Started(Three, confirmation);
        world.Run(async () =>
        {
            await AddAsync(world, "a", 2);
            await world.Delay(1_000);
            await world.StopAsync("a");
            world.Network.Isolate(new("a"));
            await world.Delay(1_000);
            await AddAsync(world, "b", 1);
            Assert.NotEqual("a", world.Memory("b")!.Highest.Cluster.Name);
            world.Add("a");
            world.Network.Heal();
            for (var i = 0; i < 100; i++)
            {
                await world[Three[i % 3]].Do(view => view.Enqueue($"{i}"));
                await world.Delay(100);
            }

            Assert.NotNull(world.Memory("a")!.Leadership);
            await Task.WhenAll(Three.Select(c => world[c].Do(view => view.RefreshAsync())));
        });

        var lines = world["a"].View.Confirmed.Lines;
        Assert.Equal(["a0", "a1", "b0"], lines[..3]);
        Assert.Equal(100, lines[3..].Distinct().Count());
        Assert.All(Three, c => Assert.Equal(lines, world[c].View.Confirmed.Lines));
        Assert.Equal(103, lines.Count);
    }

    [Fact]
    public void A_leader_that_loses_its_lease_while_it_gives_a_cluster_its_seat_does_so_when_it_has_the_lease_again()
    {
        for (var at = 0; at < 500; at += 20)
        {
            var world = Started(Three, UpdateConfirmation.Replicated);
            world.Run(async () =>
            {
                await AddAsync(world, "a", 1);
                world.Crash("b");
                world.Join("b");
                world.Network.Heal();
                await world.Delay(at);
                world.Exchanges["a"].Exchange.Memories.MayServe = () => false;
                await world.Delay(1_000);
                world.Exchanges["a"].Exchange.Memories.MayServe = () => true;
                await AddAsync(world, "a", 1);
                await world.Delay(3_000);
                Assert.True(world.Memory("b") is { IsSeated: true, Log.Version: 2 }, $"lease lost at {at} ms");
            });
        }
    }

    /// <summary>What was to be asked is asked when the silo may send again: the question that it did not send is no question.</summary>
    [Fact]
    public void A_leader_that_loses_its_lease_before_it_asks_again_a_cluster_that_has_lost_its_memory_asks_when_it_has_the_lease_again()
    {
        for (var at = 0; at < 1_000; at += 100)
        {
            var world = Started(Two, UpdateConfirmation.Leader);
            world.Run(async () =>
            {
                await AddAsync(world, "a", 1);
                await world.Delay(500);
                world.Crash("b");
                await world.Delay(500);
                world.Join("b");
                await world.Delay(75);
                world.Cut("b", "a");
                await world.Delay(at);
                world.Exchanges["a"].Exchange.Memories.MayServe = () => false;
                await world.Delay(10_000);
                world.Network.Heal();
                await world.Delay(1_000);
                world.Exchanges["a"].Exchange.Memories.MayServe = () => true;
                await world["a"].Do(view => view.RefreshAsync());
                await world.Delay(3_000);
                Assert.True(world.Memory("b") is { IsSeated: true, Log.Version: 1 }, $"lease lost at {at} ms");
            });
        }
    }

    [Fact]
    public void A_cluster_whose_link_came_up_while_the_leader_had_no_lease_is_asked_when_it_has_the_lease_again()
    {
        var world = Started(Two, UpdateConfirmation.Leader);
        world.Run(async () =>
        {
            await AddAsync(world, "a", 1);
            await world.Delay(500);
            world.Exchanges["a"].Exchange.Memories.MayServe = () => false;
            world.Crash("b");
            world.Join("b");
            await world.Delay(1_000);
            world.Exchanges["a"].Exchange.Memories.MayServe = () => true;
            await world["a"].Do(view => view.RefreshAsync());
            await world.Delay(3_000);
            Assert.True(world.Memory("b") is { IsSeated: true, Log.Version: 1 });
        });
    }

    private static LeaderWorld Started(string[] clusters, UpdateConfirmation confirmation = UpdateConfirmation.Default)
    {
        var world = new LeaderWorld("a", clusters) { Confirmation = confirmation };
        Array.ForEach(clusters, c => world.Add(c));
        world.Run(() => Task.WhenAll(clusters.Select(c => world[c].Do(view => view.RefreshAsync()))));
        return world;
    }

    private static Task AddAsync(LeaderWorld world, string cluster, int count) => world[cluster].Do(async view =>
    {
        for (var i = 0; i < count; i++)
        {
            view.Enqueue($"{cluster}{i}");
        }

        await view.ConfirmAsync();
    });
}
