namespace Geo.Directory.Tests;

/// <summary>What an operator asks of the directory.</summary>
public sealed class AdministrationTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Fact]
    public void Rows_are_listed_by_state_cluster_and_type_a_page_at_a_time()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var administration = silos[0].Directory.Administration;
            for (var i = 0; i < 25; i++)
            {
                await silos[0].CallAsync(new GrainKey("cart", $"{i:00}"));
            }

            await silos[1].CallAsync(new GrainKey("till", "1"));
            await silos[0].CallAsync(new GrainKey("till", "1"));
            world.Network.Isolate(silos[0].Cluster);
            await silos[0].CallAsync(new GrainKey("till", "2"));

            Assert.Equal(
                Enumerable.Range(0, 25).Select(i => $"{i:00}"),
                await KeysAsync(administration, new() { Type = "cart", PageSize = 10 }, pages: 3));
            Assert.Equal(["2"], await KeysAsync(administration, new() { State = GsiState.Doubtful }, pages: 1));
            var hints = new DirectoryQuery { State = GsiState.Cached, Cluster = silos[1].Cluster, PageSize = 1 };
            Assert.Equal(["1"], await KeysAsync(administration, hints, pages: 1));
            Assert.Empty(await KeysAsync(administration, new() { Cluster = silos[1].Cluster }, pages: 1));
            Assert.Equal(26, (await KeysAsync(administration, new() { Cluster = silos[0].Cluster }, pages: 1)).Count);
            await Assert.ThrowsAsync<GeoConfigurationException>(
                async () => await administration.ListAsync(new() { PageSize = 0 }, TestContext.Current.CancellationToken));
        });
    }

    [Fact]
    public void A_grain_is_inspected_where_it_is_and_where_it_is_known()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            Assert.Null(await silos[0].Directory.Administration.InspectAsync(Grain));
            await silos[0].CallAsync(Grain);
            await silos[1].CallAsync(Grain);

            var owned = await silos[0].Directory.Administration.InspectAsync(Grain);
            var cached = await silos[1].Directory.Administration.InspectAsync(Grain);

            Assert.Equal((GsiState.Owned, silos[0].Node, NodeState.Living), (owned!.Entry.State, owned.Entry.Node, owned.Node));
            Assert.Equal((GsiState.Cached, silos[0].Cluster), (cached!.Entry.State, cached.Entry.Owner));
        });
    }

    [Fact]
    public void A_doubtful_grain_is_resolved_at_once()
    {
        var world = new World { Options = new() { ResolveInterval = TimeSpan.FromHours(1) } };
        World.Run(world, async silos =>
        {
            world.Network.Options.Loss = 1;
            await silos[0].CallAsync(Grain);
            Assert.False(await silos[0].Directory.Administration.ResolveAsync(Grain));
            world.Network.Options.Loss = 0;

            Assert.True(await silos[0].Directory.Administration.ResolveAsync(Grain));

            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_released_grain_ends_and_is_placed_anew_by_the_next_call(bool hasInstance)
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            if (!hasInstance)
            {
                silos[0].Instances.Remove(Grain);
            }

            Assert.True(await silos[0].Directory.Administration.ReleaseAsync(Grain, "the test says so"));
            await world.PassAsync(World.OneWay);

            Assert.Empty(silos[0].Instances);
            Assert.Equal(GsiState.Invalid, silos[0].Entry(Grain).State);
            Assert.Equal(PlacementKind.Here, (await silos[1].CallAsync(Grain)).Kind);
            Assert.False(await silos[0].Directory.Administration.ReleaseAsync(Grain, "it is not here"));
        });
    }

    [Fact]
    public void A_release_gives_way_to_a_call_that_takes_the_grain_up_again_meanwhile()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            silos[0].Deactivating = key => silos[0].CallAsync(key);

            Assert.False(await silos[0].Directory.Administration.ReleaseAsync(Grain, "the test says so"));

            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Grain)).Kind);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    /// <summary>What fences writes elsewhere by the epoch must take those of the next owner.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void The_epoch_of_the_next_owner_is_above_that_of_a_call_which_takes_the_grain_up_during_a_release(int seed)
    {
        var world = new World(seed);
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            var first = silos[0].Directory.TenancyOf(Grain);
            long? second = null;
            silos[0].Deactivating = async key =>
            {
                await silos[0].CallAsync(key);
                second = silos[0].Directory.TenancyOf(key);
            };
            Assert.False(await silos[0].Directory.Administration.ReleaseAsync(Grain, "the test says so"));
            await world.PassAsync(1);
            Assert.Equal(GsiState.Invalid, silos[0].Entry(Grain).State);

            await silos[1].CallAsync(Grain);

            Assert.True(first < second, $"{first}, {second}");
            Assert.True(second < silos[1].Directory.TenancyOf(Grain), $"{second}, {silos[1].Directory.TenancyOf(Grain)}");
        });
    }

    [Fact]
    public void A_grain_moves_to_another_cluster()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            await silos[2].CallAsync(Grain);

            Assert.True(await silos[2].Directory.Administration.MoveAsync(Grain, silos[0].Cluster, "the test says so"));

            Assert.Equal((GsiState.Owned, silos[0].Node), (silos[0].Entry(Grain).State, silos[0].Entry(Grain).Node));
            Assert.Equal([Grain], silos[2].Deactivated);
            Assert.Equal(silos[0].Cluster, (await silos[2].CallAsync(Grain)).Cluster);
            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Grain)).Kind);
            Assert.False(await silos[2].Directory.Administration.MoveAsync(Grain, silos[1].Cluster, "it is not here"));
            await Assert.ThrowsAsync<ArgumentException>(
                async () =>
                    await silos[0].Directory.Administration.MoveAsync(
                        Grain, silos[0].Cluster, "to itself", TestContext.Current.CancellationToken));
        });
    }

    [Theory]
    [InlineData(0)]
    [InlineData(30)]
    [InlineData(400)]
    public void Q7_callers_of_a_grain_that_moves_do_not_take_it_up_on_its_way(int endsInMilliseconds)
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var sibling = world.AddSilo(silos[2].Cluster, "us/2");
            await World.StartAsync(sibling);
            await silos[2].CallAsync(Grain);

            // A cluster that calls it for the first time meanwhile may be faster.
            await silos[1].CallAsync(Grain);
            silos[2].Deactivating = _ => Task.Delay(TimeSpan.FromMilliseconds(endsInMilliseconds), world.Time);
            var isMoving = true;
            var callers = new[] { silos[2], sibling, silos[1] }.Select(silo => silo.Lane.RunAsync(() => CallOnAsync(silo))).ToArray();

            Assert.True(await silos[2].Directory.Administration.MoveAsync(Grain, silos[0].Cluster, "the test says so"));

            await world.PassAsync(1);
            isMoving = false;
            await Task.WhenAll(callers);
            Assert.Equal((GsiState.Owned, silos[0].Node), (silos[0].Entry(Grain).State, silos[0].Entry(Grain).Node));
            Assert.Equal(GsiState.Invalid, silos[2].Entry(Grain).State);
            Assert.Equal([MoveKind.Acquired, MoveKind.MovedAway], KindsOf(silos[0]).Concat(KindsOf(silos[2]).Take(1)));

            async Task CallOnAsync(Silo silo)
            {
                while (isMoving)
                {
                    await Task.Delay(TimeSpan.FromMilliseconds(7), world.Time);
                    if (await silo.CallAsync(Grain) is { Kind: PlacementKind.Elsewhere } there
                        && await silos.Single(s => s.Cluster == there.Cluster).Directory.FindHereAsync(Grain) is null)
                    {
                        silo.Directory.ForgetCached(Grain, there.Cluster);
                    }
                }
            }
        });

        static IEnumerable<MoveKind> KindsOf(Silo silo) => silo.Directory.Moves.Newest(10, Grain).Select(move => move.Kind);
    }

    [Fact]
    public void Q7_a_grain_whose_call_does_not_end_in_time_stays_and_is_served()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            await silos[2].CallAsync(Grain);
            var ended = new TaskCompletionSource();
            silos[2].Deactivating = _ => ended.Task;

            Assert.False(await silos[2].Directory.Administration.MoveAsync(Grain, silos[0].Cluster, "the test says so"));

            Assert.Equal((GsiState.Owned, default(ClusterId)), (silos[2].Entry(Grain).State, silos[2].Entry(Grain).Owner));
            ended.SetResult();
            Assert.Equal(PlacementKind.Here, (await silos[2].CallAsync(Grain)).Kind);
        });
    }

    [Theory]
    [InlineData(GsiState.Loser)]
    [InlineData(GsiState.Invalid)]
    public void Q7_a_move_whose_store_fails_midway_leaves_a_grain_that_is_served_and_no_row_in_between(GsiState failing)
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            await silos[2].CallAsync(Grain);
            silos[2].Rows.WriteFault = state => state == failing ? StoreFault.UnknownWithoutEffect : StoreFault.None;
            var moved = false;
            try
            {
                moved = await silos[2].Directory.Administration.MoveAsync(Grain, silos[0].Cluster, "the test says so");
            }
            catch (GeoUnavailableException)
            {
                // It is not known whether the grain has left.
            }

            Assert.Equal(failing == GsiState.Invalid, moved);
            silos[2].Rows.WriteFault = _ => StoreFault.None;
            await world.PassAsync(20);
            Assert.NotEqual(default, await silos[2].CallAsync(Grain));
            Assert.False(silos[2].Entry(Grain).IsYielding);
            Assert.Single(silos, silo => silo.Entry(Grain).State == GsiState.Owned);
        });
    }

    [Fact]
    public void Q7_a_silo_that_dies_while_a_grain_moves_away_leaves_it_to_its_cluster()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var sibling = world.AddSilo(silos[2].Cluster, "us/2");
            await World.StartAsync(sibling);
            await silos[2].CallAsync(Grain);
            silos[2].Deactivating = _ => new TaskCompletionSource().Task;
            _ = silos[2].Lane.RunAsync(
                () => silos[2].Directory.Administration.MoveAsync(Grain, silos[0].Cluster, "the test says so").AsTask());
            await world.PassAsync(0.2);
            Assert.Equal(silos[0].Cluster, silos[2].Entry(Grain).Owner);

            world.Crash(silos[2]);

            Assert.Equal(sibling.Node, (await sibling.CallAsync(Grain)).Node);
            Assert.Equal((sibling.Node, default), (sibling.Entry(Grain).Node, sibling.Entry(Grain).Owner));
        });
    }

    [Fact]
    public void A_grain_stays_where_it_is_while_a_cluster_is_out_of_reach()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            await silos[2].CallAsync(Grain);
            world.Network.Isolate(silos[0].Cluster);

            Assert.False(await silos[2].Directory.Administration.MoveAsync(Grain, silos[0].Cluster, "the test says so"));

            Assert.Equal(GsiState.Owned, silos[2].Entry(Grain).State);
            Assert.Contains(Grain, silos[2].Instances);
        });
    }

    [Fact]
    public void A_grain_that_cannot_move_to_a_cluster_that_is_cut_off_meanwhile_is_placed_by_the_next_call()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            await silos[2].CallAsync(Grain);
            silos[2].Deactivating = async key =>
            {
                world.Network.Isolate(silos[0].Cluster);
                silos[2].Instances.Remove(key);
                await silos[2].Directory.ReleaseAsync(key, silos[2].Node);
            };

            Assert.False(await silos[2].Directory.Administration.MoveAsync(Grain, silos[0].Cluster, "the test says so"));

            Assert.Equal(GsiState.Invalid, silos[2].Entry(Grain).State);
            Assert.Equal(PlacementKind.Here, (await silos[1].CallAsync(Grain)).Kind);
        });
    }

    private static async Task<List<string>> KeysAsync(IGeoAdministration administration, DirectoryQuery query, int pages)
    {
        var keys = new List<string>();
        while (true)
        {
            var page = await administration.ListAsync(query, TestContext.Current.CancellationToken);
            query = query with { After = page.Next };
            pages--;
            keys.AddRange(page.Rows.Select(row => row.Key.Key));
            if (page.Next is null)
            {
                Assert.Equal(0, pages);
                return keys;
            }
        }
    }
}
