namespace Geo.Directory.Tests;

/// <summary>What callers of the directory see while everything works.</summary>
public sealed class GlobalDirectoryTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Fact]
    public void The_first_access_costs_one_round_trip_and_owns_the_grain()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var placement = default(Placement);
            var took = await world.MeasureAsync(async () => placement = await silos[0].CallAsync(Grain));

            Assert.Equal(new Placement(PlacementKind.Here, silos[0].Cluster, silos[0].Node), placement);
            Assert.Equal(World.RoundTrip, took);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
            Assert.Equal(GsiState.Invalid, silos[1].Entry(Grain).State);
        });
    }

    [Fact]
    public void In_a_single_cluster_acquiring_sends_no_message_and_takes_no_time()
    {
        var world = new World(1, "us");
        World.Run(world, async silos =>
        {
            var took = await world.MeasureAsync(() => silos[0].CallAsync(Grain));

            Assert.Equal(TimeSpan.Zero, took);
            Assert.Equal(0, world.Network.Counts.Sent);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    [Fact]
    public void A_grain_active_in_another_cluster_is_found_in_one_round_trip_and_then_without_any()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            var placement = default(Placement);

            var took = await world.MeasureAsync(async () => placement = await silos[1].CallAsync(Grain));
            var sent = world.Network.Counts.Sent;
            var repeated = silos[1].Directory.AcquireAsync(Grain, silos[1].Node, SingleInstanceMode.Optimistic);

            Assert.Equal(new Placement(PlacementKind.Elsewhere, silos[0].Cluster, silos[0].Node), placement);
            Assert.Equal(World.RoundTrip, took);
            Assert.True(repeated.IsCompletedSuccessfully);
            Assert.Equal(placement, repeated.Result);
            Assert.Equal(sent, world.Network.Counts.Sent);
            Assert.Equal(GsiState.Invalid, silos[1].Entry(Grain).State);
        });
    }

    [Fact]
    public void A_repeated_local_access_completes_synchronously()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var first = await silos[0].CallAsync(Grain);

            var repeated = silos[0].Directory.AcquireAsync(Grain, silos[0].Node, SingleInstanceMode.Optimistic);

            Assert.True(repeated.IsCompletedSuccessfully);
            Assert.Equal(first, repeated.Result);
        });
    }

    [Theory]
    [InlineData("eu", "us")]
    [InlineData("asia", "eu", "us")]
    public void Of_clusters_that_ask_at_the_same_time_exactly_one_becomes_the_owner(params string[] clusters)
    {
        for (var seed = 1; seed <= 20; seed++)
        {
            var world = new World(seed, clusters);
            World.Run(world, async silos =>
            {
                var placements = await Task.WhenAll(silos.Select(s => s.CallAsync(Grain)));

                Assert.Single(placements.Select(p => p.Cluster).Distinct());
                Assert.Single(silos, s => s.Entry(Grain).State == GsiState.Owned);
                Assert.Single(silos, s => s.Instances.Contains(Grain));
            });
        }
    }

    [Fact]
    public void Callers_at_the_same_time_share_one_round()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var placements = await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => silos[0].CallAsync(Grain)));

            Assert.Single(placements.Distinct());
            Assert.Equal(1, world.Network.Counts.Sent);
        });
    }

    [Fact]
    public void A_caller_that_no_longer_waits_does_not_end_the_round_for_others()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            using var impatience = new CancellationTokenSource(TimeSpan.FromMilliseconds(10), world.Time);
            var impatient = silos[0].Directory.AcquireAsync(Grain, silos[0].Node, SingleInstanceMode.Optimistic, impatience.Token);
            var patient = silos[0].CallAsync(Grain);

            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await impatient);
            Assert.Equal(PlacementKind.Here, (await patient).Kind);
        });
    }

    [Fact]
    public void Two_silos_of_one_cluster_agree_on_one_node()
    {
        for (var seed = 1; seed <= 20; seed++)
        {
            var world = new World(seed);
            World.Run(world, async silos =>
            {
                var second = world.AddSilo(silos[0].Cluster, "eu/2");
                await World.StartAsync(second);

                var placements = await Task.WhenAll(silos[0].CallAsync(Grain), second.CallAsync(Grain));

                Assert.Equal(placements[0], placements[1]);
                Assert.Equal(PlacementKind.Here, placements[0].Kind);
                Assert.Equal(1, silos[0].Instances.Count + second.Instances.Count);
            });
        }
    }

    [Fact]
    public void Lookup_tells_what_is_known_and_asks_nobody()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            Assert.Null(await silos[0].Directory.LookupAsync(Grain));
            Assert.Equal(0, world.Network.Counts.Sent);

            await silos[0].CallAsync(Grain);
            await silos[1].CallAsync(Grain);

            Assert.Equal(PlacementKind.Here, (await silos[0].Directory.LookupAsync(Grain))?.Kind);
            Assert.Equal(PlacementKind.Elsewhere, (await silos[1].Directory.LookupAsync(Grain))?.Kind);
        });
    }

    [Fact]
    public void A_released_grain_is_forgotten_by_the_clusters_that_cached_it_and_moves_to_the_next_caller()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            await silos[1].CallAsync(Grain);

            await silos[0].EndAsync(Grain);
            await world.PassAsync(World.RoundTrip);

            Assert.Equal(GsiState.Invalid, silos[0].Entry(Grain).State);
            Assert.Null(await silos[1].Directory.LookupAsync(Grain));
            Assert.Equal(PlacementKind.Here, (await silos[1].CallAsync(Grain)).Kind);
        });
    }

    /// <summary>A round may be under way for as long as a whole tenancy elsewhere lasts.</summary>
    [Fact]
    public void The_epoch_of_an_owner_is_above_that_of_one_that_came_and_went_while_its_round_was_under_way()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[1].CallAsync(Grain);
            var taking = silos[0].CallAsync(Grain);
            await world.PassAsync(World.OneWay / 2);
            Assert.NotNull(await silos[1].Directory.MoveAsync(Grain, silos[1].Node, silos[1].Node));
            var between = silos[1].Directory.TenancyOf(Grain);
            await silos[1].EndAsync(Grain);

            Assert.Equal(PlacementKind.Here, (await taking).Kind);
            Assert.True(between < silos[0].Directory.TenancyOf(Grain));
        });
    }

    [Fact]
    public void A_release_notice_leaves_a_hint_alone_that_names_another_cluster()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            await silos[1].CallAsync(Grain);

            var notice = new GsiMessage(GsiMessageKind.Released, Grain, 0).Encode();
            var messenger = world.Network.Join(silos[2].Cluster, silos[2].Lane);
            Assert.True(messenger.TrySend(silos[1].Cluster, RoundRequests.Service, notice));
            await world.PassAsync(World.RoundTrip);

            Assert.Equal(silos[0].Cluster, (await silos[1].Directory.LookupAsync(Grain))?.Cluster);
        });
    }

    [Fact]
    public void A_release_by_a_node_that_does_not_hold_the_grain_changes_nothing()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);

            await silos[0].Directory.ReleaseAsync(Grain, "eu/2");
            await silos[1].Directory.ReleaseAsync(Grain, silos[1].Node);

            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    [Fact]
    public void A_stale_hint_is_dropped_and_a_new_round_finds_the_truth()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            await silos[1].CallAsync(Grain);
            world.Network.Options.Loss = 1;
            await silos[0].EndAsync(Grain);
            world.Network.Options.Loss = 0;
            Assert.Equal(PlacementKind.Elsewhere, (await silos[1].CallAsync(Grain)).Kind);

            silos[1].Directory.ForgetCached(Grain, silos[0].Cluster);

            Assert.Null(await silos[1].Directory.LookupAsync(Grain));
            Assert.Equal(PlacementKind.Here, (await silos[1].CallAsync(Grain)).Kind);
        });
    }

    [Fact]
    public void Forgetting_a_cluster_that_the_hint_does_not_name_keeps_the_hint()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            await silos[1].CallAsync(Grain);

            silos[1].Directory.ForgetCached(Grain, new ClusterId("mars"));

            Assert.Equal(silos[0].Cluster, (await silos[1].Directory.LookupAsync(Grain))?.Cluster);
        });
    }

    [Fact]
    public void A_late_release_leaves_a_later_tenancy_alone_that_this_silo_does_not_hold()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[1].CallAsync(Grain);
            world.Crash(silos[1]);
            var restarted = await world.RestartAsync(silos[1]);

            await restarted.Directory.ReleaseAsync(Grain, restarted.Node);

            Assert.Equal(GsiState.Owned, restarted.Entry(Grain).State);
        });
    }

    [Fact]
    public void A_late_release_of_one_tenancy_leaves_the_next_one_alone()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[1].CallAsync(Grain);
            var first = silos[1].Directory.TenancyOf(Grain);
            await silos[1].EndAsync(Grain);
            await silos[1].CallAsync(Grain);

            await silos[1].Directory.ReleaseAsync(Grain, silos[1].Node, first);

            Assert.Equal(GsiState.Owned, silos[1].Entry(Grain).State);
            Assert.NotNull(silos[1].Directory.TenancyOf(Grain));
        });
    }

    [Fact]
    public void A_cluster_outside_the_configuration_is_refused_with_the_reason_and_leaves_no_row()
    {
        var world = new World();
        world.Configurations[world.Clusters[0]] = new MultiClusterConfiguration(1, [world.Clusters[0]]);
        World.Run(world, async silos =>
        {
            var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[1].CallAsync(Grain));

            Assert.Contains("not among the other clusters", refused.Message, StringComparison.Ordinal);
            Assert.Equal(GsiState.Invalid, silos[1].Entry(Grain).State);
            Assert.Equal(0, silos[0].Rows.Operations);
        });
    }

    [Fact]
    public void A_disposed_directory_ends_its_rounds_and_takes_no_more_calls()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var waiting = silos[0].CallAsync(Grain);
            await world.PassAsync(World.OneWay);

            await silos[0].Directory.DisposeAsync();

            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
            await Assert.ThrowsAsync<ObjectDisposedException>(() => silos[0].CallAsync(Grain));
        });
    }
}
