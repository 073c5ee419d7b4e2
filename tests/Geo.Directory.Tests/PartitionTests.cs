namespace Geo.Directory.Tests;

/// <summary>Clusters that do not hear from each other, and what happens when they do again.</summary>
public sealed class PartitionTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Fact]
    public void An_optimistic_grain_is_available_on_both_sides_of_a_partition_within_the_resend_delay()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);

            var took = await world.MeasureAsync(() => Task.WhenAll(silos.Select(s => s.CallAsync(Grain))));

            Assert.Equal(world.Options.ResendDelay, took);
            Assert.All(silos, s => Assert.Equal(GsiState.Doubtful, s.Entry(Grain).State));
            Assert.All(silos, s => Assert.Contains(Grain, s.Instances));
        });
    }

    [Fact]
    public void A_request_that_a_silo_leaves_unanswered_is_sent_to_another_silo_so_that_there_is_no_duplicate()
    {
        var world = new World();
        world.Over = messenger => new HungEntryPoint(messenger, world.Time);
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);

            var took = await world.MeasureAsync(() => silos[1].CallAsync(Grain));

            Assert.Equal(world.Options.RequestTimeout + World.RoundTrip, took);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
            Assert.Equal(silos[0].Cluster, (await silos[1].Directory.LookupAsync(Grain))?.Cluster);
        });
    }

    [Theory]
    [InlineData("eu", "us")]
    [InlineData("asia", "eu", "us")]
    public void When_the_link_heals_one_owner_is_left_and_the_duplicates_are_deactivated(params string[] clusters)
    {
        for (var seed = 1; seed <= 10; seed++)
        {
            var world = new World(seed, clusters);
            World.Run(world, async silos =>
            {
                foreach (var silo in silos)
                {
                    world.Network.Isolate(silo.Cluster);
                }

                await Task.WhenAll(silos.Select(s => s.CallAsync(Grain)));
                Assert.Equal(silos.Length, silos.Count(s => s.Instances.Contains(Grain)));

                world.Network.Heal();
                await world.PassAsync(3);

                var owner = Assert.Single(silos, s => s.Entry(Grain).State == GsiState.Owned);
                Assert.Equal([Grain], owner.Instances);
                foreach (var loser in silos.Where(s => s != owner))
                {
                    Assert.Equal(owner.Cluster, (await loser.Directory.LookupAsync(Grain))?.Cluster);
                    Assert.Equal([Grain], loser.Deactivated);
                }
            });
        }
    }

    [Fact]
    public void A_duplicate_is_deactivated_before_its_row_names_the_owner_and_is_not_created_again_meanwhile()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);
            await Task.WhenAll(silos.Select(s => s.CallAsync(Grain)));
            var whileDeactivating = new List<GsiEntry>();
            var calls = new List<Task<Placement>>();
            foreach (var silo in silos)
            {
                silo.Deactivating = async key =>
                {
                    calls.Add(silo.CallAsync(key));
                    await world.PassAsync(1);
                    Assert.True(calls[^1].IsCompleted);
                    whileDeactivating.Add(silo.Entry(key));
                };
            }

            world.Network.Heal();
            await world.PassAsync(4);

            var entry = Assert.Single(whileDeactivating);
            Assert.True(entry.IsYielding);
            Assert.Equal(PlacementKind.Elsewhere, (await Assert.Single(calls)).Kind);
        });
    }

    [Fact]
    public void A_doubtful_instance_goes_on_serving_while_it_is_tried_again()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);
            await silos[0].CallAsync(Grain);
            world.Network.Options.RefusedWhenCut = 0;

            await world.PassAsync(world.Options.ResolveInterval);
            Assert.Equal((GsiState.Requested, true), (silos[0].Entry(Grain).State, silos[0].Entry(Grain).HasInstance));
            var during = silos[0].Directory.AcquireAsync(Grain, silos[0].Node, SingleInstanceMode.Optimistic);
            Assert.True(during.IsCompletedSuccessfully);
            Assert.Equal(PlacementKind.Here, during.Result.Kind);

            await world.PassAsync(4);
            Assert.Equal(GsiState.Doubtful, silos[0].Entry(Grain).State);
        });
    }

    [Fact]
    public void Doubtful_rows_are_tried_again_periodically_without_any_word_of_the_link()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Options.Loss = 1;
            await silos[0].CallAsync(Grain);
            Assert.Equal(GsiState.Doubtful, silos[0].Entry(Grain).State);

            world.Network.Options.Loss = 0;
            await world.PassAsync(world.Options.ResolveInterval + World.RoundTrip);

            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    [Fact]
    public void One_scan_settles_the_doubtful_rows_and_says_how_many()
    {
        var world = new World { Options = new() { ResolveInterval = TimeSpan.FromHours(1) } };
        World.Run(world, async silos =>
        {
            world.Network.Options.Loss = 1;
            var keys = Enumerable.Range(0, 20).Select(i => new GrainKey("cart", $"k{i}")).ToArray();
            await Task.WhenAll(keys.Select(k => silos[0].CallAsync(k)));
            Assert.Equal(0, await silos[0].Directory.ResolveDoubtfulAsync());

            world.Network.Options.Loss = 0;

            Assert.Equal(keys.Length, await silos[0].Directory.ResolveDoubtfulAsync());
            Assert.All(keys, k => Assert.Equal(GsiState.Owned, silos[0].Entry(k).State));
            Assert.Equal(0, await silos[0].Directory.ResolveDoubtfulAsync());
        });
    }

    [Theory]
    [InlineData(1.0, 0.2)]
    [InlineData(0.0, 2.0)]
    public void A_pessimistic_grain_is_refused_in_bounded_time_and_leaves_no_row(double refusedWhenCut, double seconds)
    {
        var world = new World();
        world.Network.Options.RefusedWhenCut = refusedWhenCut;
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);

            var took = await world.MeasureAsync(async () =>
            {
                var refused = await Assert.ThrowsAsync<GeoUnavailableException>(
                    () => silos[0].CallAsync(Grain, SingleInstanceMode.Pessimistic));
                Assert.Contains("cluster 'us' does not answer", refused.Message, StringComparison.Ordinal);
            });

            Assert.Equal(TimeSpan.FromSeconds(seconds), took);
            Assert.Equal(GsiState.Invalid, silos[0].Entry(Grain).State);
            Assert.Empty(silos[0].Instances);

            world.Network.Heal();
            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Grain, SingleInstanceMode.Pessimistic)).Kind);
        });
    }

    [Fact]
    public void A_pessimistic_owner_goes_on_serving_during_a_partition()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain, SingleInstanceMode.Pessimistic);
            world.Network.Isolate(silos[0].Cluster);

            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Grain, SingleInstanceMode.Pessimistic)).Kind);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[1].CallAsync(Grain, SingleInstanceMode.Pessimistic));
        });
    }

    [Fact]
    public void A_pessimistic_call_is_not_served_by_a_doubtful_instance()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);
            await silos[0].CallAsync(Grain);

            await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[0].CallAsync(Grain, SingleInstanceMode.Pessimistic));
            Assert.Equal(GsiState.Doubtful, silos[0].Entry(Grain).State);

            world.Network.Heal();
            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Grain, SingleInstanceMode.Pessimistic)).Kind);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    [Fact]
    public void An_owner_that_can_be_reached_is_found_without_waiting_for_a_cluster_that_cannot()
    {
        var world = new World(1, "asia", "eu", "us");
        world.Network.Options.RefusedWhenCut = 0;
        World.Run(world, async silos =>
        {
            await silos[1].CallAsync(Grain);
            world.Network.Isolate(silos[0].Cluster);

            var took = await world.MeasureAsync(async () => Assert.Equal(PlacementKind.Elsewhere, (await silos[2].CallAsync(Grain)).Kind));

            Assert.Equal(World.RoundTrip, took);
        });
    }

    [Fact]
    public void A_lost_request_is_sent_once_more()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Options.Loss = 1;
            var call = silos[0].CallAsync(Grain);
            await world.PassAsync(0.5);
            world.Network.Options.Loss = 0;

            Assert.Equal(PlacementKind.Here, (await call).Kind);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    [Theory]
    [InlineData("asia", "eu", "us")]
    [InlineData("africa", "asia", "eu", "us")]
    public void With_one_cluster_dead_the_others_share_one_doubtful_instance(params string[] clusters)
    {
        for (var dead = 0; dead < clusters.Length; dead++)
        {
            var world = new World(dead + 1, clusters);
            World.Run(world, async silos =>
            {
                world.Network.Isolate(silos[dead].Cluster);
                Silo[] survivors = [.. silos.Where((_, c) => c != dead)];

                var placements = await Task.WhenAll(survivors.Select(s => s.CallAsync(Grain)));
                var later = await survivors[0].CallAsync(Grain);
                await world.PassAsync(3 * world.Options.ResolveInterval);

                Assert.All(placements, p => Assert.Equal(later.Cluster, p.Cluster));
                Assert.Single(survivors, s => s.Instances.Contains(Grain));
                Assert.Single(survivors, s => s.Entry(Grain).MayRunHere);
                Assert.All(survivors, s => Assert.Empty(s.Deactivated));

                world.Network.Heal();
                await world.PassAsync(1);

                Assert.Single(silos, s => s.Entry(Grain).State == GsiState.Owned);
            });
        }
    }

    [Fact]
    public void Doubtful_instances_of_clusters_that_hear_each_other_again_become_one_while_a_third_cluster_is_dead()
    {
        var world = new World(1, "asia", "eu", "us", "za");
        World.Run(world, async silos =>
        {
            foreach (var silo in silos)
            {
                world.Network.Isolate(silo.Cluster);
            }

            await Task.WhenAll(silos[..3].Select(s => s.CallAsync(Grain)));
            world.Network.Heal();
            world.Network.Isolate(silos[3].Cluster);
            await world.PassAsync(2 * world.Options.ResolveInterval);

            var left = Assert.Single(silos[..3], s => s.Instances.Contains(Grain));
            Assert.Equal("us", left.Cluster.Name);
            Assert.Equal(GsiState.Doubtful, left.Entry(Grain).State);
            Assert.Equal(left.Cluster, (await silos[0].CallAsync(Grain)).Cluster);
        });
    }

    [Theory]
    [InlineData(SingleInstanceMode.Optimistic)]
    [InlineData(SingleInstanceMode.Pessimistic)]
    public void A_cluster_known_to_be_out_of_reach_costs_the_resend_delay_once_and_not_each_grain_one_after_another(SingleInstanceMode mode)
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);

            var took = await world.MeasureAsync(async () =>
            {
                for (var i = 0; i < 100; i++)
                {
                    var call = silos[0].CallAsync(new GrainKey("cart", $"k{i}"), mode);
                    if (mode == SingleInstanceMode.Optimistic)
                    {
                        await call;
                    }
                    else
                    {
                        await Assert.ThrowsAsync<GeoUnavailableException>(() => call);
                    }
                }
            });

            Assert.InRange(took, TimeSpan.Zero, world.Options.ResendDelay + World.OneWay);
        });
    }

    [Fact]
    public void A_duplicate_that_ends_by_itself_while_its_deactivation_hangs_does_not_delay_its_grain()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);
            await Task.WhenAll(silos.Select(s => s.CallAsync(Grain)));
            foreach (var silo in silos)
            {
                silo.Deactivating = _ => Task.Delay(Timeout.InfiniteTimeSpan, world.Time);
            }

            world.Network.Heal();
            await world.PassAsync(1);
            var loser = Assert.Single(silos, s => s.Entry(Grain).IsYielding);
            var winner = Assert.Single(silos, s => s != loser);
            await loser.EndAsync(Grain);

            Assert.Equal(GsiState.Invalid, loser.Entry(Grain).State);
            var took = await world.MeasureAsync(async () => Assert.Equal(PlacementKind.Elsewhere, (await loser.CallAsync(Grain)).Kind));
            Assert.Equal(TimeSpan.Zero, took);
            Assert.Equal(winner.Cluster, (await loser.Directory.LookupAsync(Grain))?.Cluster);
        });
    }

    [Fact]
    public void A_deactivation_that_fails_is_tried_again_and_no_call_is_served_in_between()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);
            await Task.WhenAll(silos.Select(s => s.CallAsync(Grain)));
            var (fails, failures) = (true, 0);
            foreach (var silo in silos)
            {
                silo.Deactivating = _ => fails ? throw new InvalidOperationException($"not now, {++failures}") : Task.CompletedTask;
            }

            world.Network.Heal();
            await world.PassAsync(2);
            var loser = Assert.Single(silos, s => s.Entry(Grain).IsYielding);
            Assert.InRange(failures, 1, 5);
            fails = false;
            await world.PassAsync(10);

            Assert.Equal([Grain], loser.Deactivated);
            Assert.Equal(PlacementKind.Elsewhere, (await loser.Directory.LookupAsync(Grain))?.Kind);
        });
    }
}
