namespace Geo.Directory.Tests;

/// <summary>How rows are found that no silo has in mind: the index of the Doubtful ones, and the scan of all.</summary>
public sealed class ScanTests
{
    private static readonly GrainKey Grain = World.Grain;
    private static readonly GrainKey[] Keys = [.. Enumerable.Range(0, 20).Select(i => new GrainKey("cart", $"k{i}"))];

    [Fact]
    public void One_silo_of_a_cluster_scans_and_another_when_it_is_gone()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var cluster = new List<Silo> { silos[0] };
            for (var i = 2; i <= 4; i++)
            {
                cluster.Add(world.AddSilo(silos[0].Cluster, $"eu/{i}"));
                await World.StartAsync(cluster[^1]);
            }

            await world.PassAsync(601);
            Assert.InRange(silos[0].Rows.RowLists, 10, 11);

            for (var i = 0; i < 3; i++)
            {
                var before = silos[0].Rows.RowLists;
                world.Crash(cluster[i]);
                await world.PassAsync(130);
                Assert.InRange(silos[0].Rows.RowLists - before, 2, 3);
            }
        });
    }

    [Fact]
    public void A_scan_looks_at_no_more_rows_a_second_than_allowed_and_another_silo_begins_none_beside_it()
    {
        var world = new World
        {
            Options = new() { ScanRowsPerSecond = 100, ScanInterval = TimeSpan.FromSeconds(10), ScanTurn = TimeSpan.FromSeconds(5) },
        };
        World.Run(world, async silos =>
        {
            for (var i = 0; i < 5000; i++)
            {
                var entry = new GsiEntry { State = GsiState.Owned, Node = silos[0].Node, Epoch = 1, Round = 1 };
                await silos[0].Rows.Inner.WriteAsync(DirectoryRows.KeyOf(new GrainKey("cart", $"n{i}")), entry.Encode(), null);
            }

            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);

            var took = await world.MeasureAsync(async () => await silos[0].Directory.ResolveDoubtfulAsync());
            Assert.InRange(took, TimeSpan.FromSeconds(49), TimeSpan.FromSeconds(51));
            await world.PassAsync(150);

            // The one that was asked for, and one after the other for 200 s.
            Assert.InRange(silos[0].Rows.RowLists, 4, 6);
        });
    }

    [Fact]
    public void A_doubtful_row_that_no_silo_has_in_mind_is_found_by_its_index_when_a_link_comes_up()
    {
        var world = new World { Options = new() { ScanInterval = TimeSpan.FromHours(1) } };
        World.Run(world, async silos =>
        {
            await world.PassAsync(30);
            var lists = silos[0].Rows.RowLists;
            world.Network.Isolate(silos[0].Cluster);
            await LeaveDoubtfulAsync(silos[0], Grain, indexed: true);

            world.Network.Heal();
            await world.PassAsync(1);

            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
            Assert.Equal(lists, silos[0].Rows.RowLists);
        });
    }

    [Fact]
    public void A_doubtful_row_without_an_entry_in_the_index_is_found_by_the_scan_and_gets_one()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);
            await LeaveDoubtfulAsync(silos[0], Grain, indexed: false);

            await world.PassAsync(world.Options.ScanInterval * 2);
            Assert.True(silos[0].Rows.HasIndexEntry(Grain));

            world.Network.Heal();
            await world.PassAsync(1);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    [Fact]
    public void Each_doubtful_row_has_an_entry_in_the_index_at_every_step_and_none_is_left_when_all_is_settled()
    {
        var world = new World(3, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var some = Keys[..4];
            var check = world.Scheduler.AfterStep!;
            world.Scheduler.AfterStep = lane =>
            {
                check(lane);
                Assert.All(
                    silos, s => Assert.All(some, k => Assert.True(s.Entry(k).State != GsiState.Doubtful || s.Rows.HasIndexEntry(k))));
            };
            for (var turn = 0; turn < 3; turn++)
            {
                world.Network.Isolate(silos[turn].Cluster);
                await Task.WhenAll(silos.SelectMany(s => some.Select(k => s.CallAsync(k))));
                await world.PassAsync(70);
                world.Network.Heal();
                await world.PassAsync(20);
                foreach (var silo in silos)
                {
                    foreach (var key in silo.Instances.ToArray())
                    {
                        await silo.EndAsync(key);
                    }
                }
            }

            await world.PassAsync(world.Options.ScanInterval * 2);
            Assert.All(silos, s => Assert.DoesNotContain(some, s.Rows.HasIndexEntry));
        });
    }

    [Fact]
    public void Doubtful_rows_beyond_what_a_silo_keeps_in_mind_are_settled_too()
    {
        var world = new World { Options = new() { MaxDoubtfulKeys = 3 } };
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);
            await Task.WhenAll(Keys.Select(k => silos[0].CallAsync(k)));
            Assert.All(Keys, k => Assert.Equal(GsiState.Doubtful, silos[0].Entry(k).State));

            world.Network.Heal();
            await world.PassAsync(world.Options.ScanInterval * 8);

            Assert.All(Keys, k => Assert.Equal(GsiState.Owned, silos[0].Entry(k).State));
        });
    }

    [Fact]
    public void Rows_and_entries_that_cannot_be_read_do_not_keep_the_scan_from_the_others()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);
            var damaged = new GrainKey("aaa", "1");
            await silos[0].Rows.Inner.WriteAsync(DirectoryRows.KeyOf(damaged), new byte[] { 77 }, null);
            await silos[0].Rows.Inner.WriteAsync(DoubtfulIndex.KeyOf(damaged), new byte[] { 1 }, null);
            await silos[0].Rows.Inner.WriteAsync(DoubtfulIndex.Prefix + "damaged", new byte[] { 1 }, null);
            await LeaveDoubtfulAsync(silos[0], Grain, indexed: true);
            await LeaveDoubtfulAsync(silos[0], Keys[0], indexed: false);
            world.Network.Heal();

            await silos[0].Directory.ResolveDoubtfulAsync();

            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Keys[0]).State);
        });
    }

    [Fact]
    public void A_removal_from_the_index_that_comes_late_leaves_the_entry_of_a_row_that_is_doubtful_again()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            using var metrics = new DirectoryMetrics(silos[0].Cluster, () => default);
            var index = new DoubtfulIndex(silos[0].Rows, metrics);
            await index.MarkAsync(Grain, TestContext.Current.CancellationToken);
            StoreEntry listed = default;
            await foreach (var entry in index.ListAsync(TestContext.Current.CancellationToken))
            {
                listed = entry;
            }

            await index.MarkAsync(Grain, TestContext.Current.CancellationToken);
            await index.RemoveAsync(listed, TestContext.Current.CancellationToken);

            Assert.True(silos[0].Rows.HasIndexEntry(Grain));
        });
    }

    [Fact]
    public void The_rows_of_many_grains_that_a_silo_owned_are_removed_side_by_side_when_nobody_takes_them_over()
    {
        var world = new World { Options = new() { GoneRowRetention = TimeSpan.Zero } };
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(second);
            await Task.WhenAll(Keys.Select(k => second.CallAsync(k)));
            world.Crash(second);

            await world.PassAsync(world.Options.ScanInterval * 3);

            Assert.All(Keys, k => Assert.Equal(GsiState.Invalid, silos[0].Entry(k).State));
        });
    }

    private static async Task LeaveDoubtfulAsync(Silo silo, GrainKey key, bool indexed)
    {
        var entry = new GsiEntry { State = GsiState.Doubtful, Node = silo.Node, Epoch = 7, Round = 7 };
        if (indexed)
        {
            await silo.Rows.Inner.WriteAsync(DoubtfulIndex.KeyOf(key), new byte[] { 1 }, null);
        }

        await silo.Rows.Inner.WriteAsync(DirectoryRows.KeyOf(key), entry.Encode(), null);
    }
}
