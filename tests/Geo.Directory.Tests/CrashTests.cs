namespace Geo.Directory.Tests;

/// <summary>Rows that a crashed silo left behind.</summary>
public sealed class CrashTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Theory]
    [InlineData(365)]
    [InlineData(0.001)]
    public void A_round_that_a_silo_whose_clock_was_ahead_gave_up_lasts_no_longer_than_any(double days)
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await World.StartAsync(world.AddSilo(silos[0].Cluster, "eu/2"));
            var deadline = world.Time.GetUtcNow().AddDays(days);
            var given = new GsiEntry { State = GsiState.Requested, Node = "eu/2", Epoch = 1, Round = 1, Deadline = deadline };
            await silos[0].Rows.Inner.WriteAsync(DirectoryRows.KeyOf(World.Grain), given.Encode(), null);

            var took = await world.MeasureAsync(async () =>
            {
                var placement = await silos[0].CallAsync(World.Grain);
                Assert.Equal((PlacementKind.Here, silos[0].Node), (placement.Kind, placement.Node));
            });

            Assert.InRange(took, world.Options.RoundLifetime, world.Options.RoundLifetime + TimeSpan.FromSeconds(0.5));
        });
    }

    [Fact]
    public void A_doubt_whose_round_was_cut_off_is_settled_though_the_clock_was_set_back_meanwhile()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            // As a store that goes away during the round leaves it, written 20 seconds ahead of the clock as it is set now.
            var cut = new GsiEntry
            {
                State = GsiState.Requested,
                Node = silos[1].Node,
                Epoch = 1,
                Round = 7,
                HasInstance = true,
                Deadline = world.Time.GetUtcNow() + world.Options.RoundLifetime + TimeSpan.FromSeconds(20),
            };
            await silos[1].Rows.Inner.WriteAsync(DirectoryRows.KeyOf(Grain), cut.Encode(), null);
            await silos[1].Directory.ResolveDoubtfulAsync();

            await world.PassAsync(world.Options.RoundLifetime.TotalSeconds + (2 * world.Options.ResolveInterval.TotalSeconds));

            Assert.Equal(GsiState.Owned, silos[1].Entry(Grain).State);
        });
    }

    [Fact]
    public void An_owner_that_crashed_is_replaced_by_another_silo_of_its_cluster()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[1].Cluster, "us/2");
            await World.StartAsync(second);
            await second.CallAsync(Grain);

            world.Crash(second);

            Assert.Equal(new Placement(PlacementKind.Here, silos[1].Cluster, silos[1].Node), await silos[1].CallAsync(Grain));
        });
    }

    [Fact]
    public void A_cluster_that_crashed_and_came_back_does_not_keep_another_cluster_from_the_grain()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[1].CallAsync(Grain);

            world.Crash(silos[1]);
            var back = await world.RestartAsync(silos[1], "us/2");

            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Grain, SingleInstanceMode.Pessimistic)).Kind);
            Assert.Equal(GsiState.Invalid, back.Entry(Grain).State);
        });
    }

    [Fact]
    public void A_round_whose_silo_crashed_is_taken_over()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = world.AddSilo(silos[1].Cluster, "us/2");
            await World.StartAsync(second);
            _ = second.CallAsync(Grain);
            await world.PassAsync(World.OneWay);
            Assert.Equal(GsiState.Requested, silos[1].Entry(Grain).State);

            world.Crash(second);

            Assert.Equal(PlacementKind.Here, (await silos[1].CallAsync(Grain)).Kind);
        });
    }

    [Fact]
    public void A_round_that_nobody_runs_is_over_at_its_deadline_even_if_its_node_lives()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var abandoned = GsiRules.Begin(GsiEntry.Invalid, "us/2", 7, 7, default, world.Time.GetUtcNow() + world.Options.RoundLifetime);
            await silos[1].Rows.Inner.WriteAsync(DirectoryRows.KeyOf(Grain), abandoned.Encode(), null);

            var took = await world.MeasureAsync(async () => Assert.Equal(PlacementKind.Here, (await silos[1].CallAsync(Grain)).Kind));

            Assert.InRange(took, world.Options.RoundLifetime, world.Options.RoundLifetime + TimeSpan.FromSeconds(0.5));
        });
    }

    [Fact]
    public void A_round_that_its_own_silo_does_not_run_does_not_stop_another_cluster()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            // As a first write of unknown outcome leaves it that lands when its round is over.
            await silos[1].CallAsync(new GrainKey("cart", "other"));
            var lost = GsiRules.Begin(GsiEntry.Invalid, silos[1].Node, 7, 7, default, world.Time.GetUtcNow() + world.Options.RoundLifetime);
            await silos[1].Rows.Inner.WriteAsync(DirectoryRows.KeyOf(Grain), lost.Encode(), null);

            var took = await world.MeasureAsync(async () => Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Grain)).Kind));

            Assert.Equal(World.RoundTrip, took);
        });
    }

    [Fact]
    public void A_silo_that_restarts_takes_its_own_rows_over_at_once()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var other = new GrainKey("cart", "2");
            world.Watch(other);
            await silos[1].CallAsync(Grain);
            _ = silos[1].CallAsync(other);
            await world.PassAsync(World.OneWay);
            world.Crash(silos[1]);

            var restarted = await world.RestartAsync(silos[1]);
            var owned = await restarted.CallAsync(Grain);
            var took = await world.MeasureAsync(() => restarted.CallAsync(other));

            Assert.Equal((PlacementKind.Here, restarted.Node), (owned.Kind, owned.Node));
            Assert.Equal(World.RoundTrip, took);
        });
    }

    [Fact]
    public void A_silo_that_restarts_finds_its_doubtful_rows_and_settles_them()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[1].Cluster);
            await silos[1].CallAsync(Grain);
            world.Crash(silos[1]);
            world.Network.Heal();

            var restarted = await world.RestartAsync(silos[1]);
            await world.PassAsync(1);

            Assert.Equal(GsiState.Owned, restarted.Entry(Grain).State);
        });
    }

    [Fact]
    public void A_yield_whose_silo_crashed_is_finished_by_another_silo()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var yielding = new GsiEntry
            {
                State = GsiState.Loser,
                Node = silos[1].Node,
                Round = 7,
                Deadline = world.Time.GetUtcNow(),
                HasInstance = true,
                Owner = silos[0].Cluster,
            };
            await silos[1].Rows.Inner.WriteAsync(DirectoryRows.KeyOf(Grain), yielding.Encode(), null);

            await silos[1].Directory.ResolveDoubtfulAsync();

            Assert.Equal([Grain], silos[1].Deactivated);
            Assert.Equal(GsiState.Invalid, silos[1].Entry(Grain).State);
            Assert.Equal(silos[0].Cluster, (await silos[1].Directory.LookupAsync(Grain))?.Cluster);
        });
    }

    [Fact]
    public void Rows_of_an_earlier_life_of_the_cluster_are_removed_by_a_scan_and_those_to_be_taken_over_are_kept_a_while()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var other = new GrainKey("cart", "2");
            await silos[1].CallAsync(Grain);
            world.Crash(silos[1]);
            var first = await world.RestartAsync(silos[1], "us/2");
            var second = world.AddSilo(first.Cluster, "us/3");
            await World.StartAsync(second);
            await second.CallAsync(other);
            world.Crash(second);

            await first.Directory.ResolveDoubtfulAsync();

            Assert.Equal(GsiState.Invalid, first.Entry(Grain).State);
            Assert.Equal(GsiState.Owned, first.Entry(other).State);

            await world.PassAsync(world.Options.GoneRowRetention + world.Options.ScanInterval);
            Assert.Equal(GsiState.Invalid, first.Entry(other).State);
        });
    }
}
