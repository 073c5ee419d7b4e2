namespace Geo.Directory.Tests;

/// <summary>Looking for a grain that is remembered to be in a cluster out of reach.</summary>
public sealed class FreshLookTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Fact]
    public void A_grain_that_has_come_to_life_in_the_own_cluster_is_found_by_the_rows_though_its_silo_remembers_another_cluster()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var (eu, us) = (silos[0], silos[1]);
            var sibling = world.AddSilo(eu.Cluster, "eu/2");
            await World.StartAsync(sibling);
            world.Network.Options.NoticeLoss = 1;
            await us.CallAsync(Grain);
            await eu.CallAsync(Grain);
            await us.EndAsync(Grain);
            await sibling.CallAsync(Grain);
            world.Network.Isolate(us.Cluster);
            Assert.Equal(us.Cluster, (await eu.Directory.LookupAsync(Grain))?.Cluster);

            var here = new Placement(PlacementKind.Here, eu.Cluster, sibling.Node);
            Assert.Equal(here, await eu.Directory.FindAnewAsync(Grain, us.Cluster));
            Assert.Equal(here, await eu.Directory.LookupAsync(Grain));
        });
    }

    [Fact]
    public void A_look_leaves_the_rounds_of_others_alone_and_one_in_vain_is_not_repeated_at_once()
    {
        var world = new World(1, "asia", "eu", "us");
        world.Network.Options.RefusedWhenCut = 0;
        World.Run(world, async silos =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            world.Network.Isolate(asia.Cluster);
            var round = eu.CallAsync(Grain, SingleInstanceMode.Pessimistic);
            await world.PassAsync(World.OneWay);

            Assert.Equal(World.RoundTrip, await world.MeasureAsync(LookAsync));
            Assert.Equal(GsiState.Requested, eu.Entry(Grain).State);
            Assert.Equal(TimeSpan.Zero, await world.MeasureAsync(LookAsync));
            await world.PassAsync(world.Options.RequestTimeout);
            Assert.Equal(World.RoundTrip, await world.MeasureAsync(LookAsync));
            await Assert.ThrowsAsync<GeoUnavailableException>(() => round);
            Assert.Equal(GsiState.Invalid, us.Entry(Grain).State);

            async Task LookAsync() => Assert.Null(await us.Directory.FindAnewAsync(Grain, asia.Cluster));
        });
    }

    [Fact]
    public void A_grain_of_which_no_cluster_was_lost_is_looked_for_by_each_call_and_acquired_by_none()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var (eu, us) = (silos[0], silos[1]);
            Assert.Null(await us.Directory.FindAnewAsync(Grain));
            await eu.CallAsync(Grain);

            Assert.Equal(eu.Cluster, (await us.Directory.FindAnewAsync(Grain))?.Cluster);
            Assert.Equal(GsiState.Invalid, us.Entry(Grain).State);
        });
    }

    [Fact]
    public void A_look_that_a_cluster_did_not_answer_is_repeated_when_as_long_as_it_took_has_passed()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            await eu.CallAsync(Grain);
            world.Network.Isolate(asia.Cluster);
            world.Network.Options.Loss = 1;
            var took = await world.MeasureAsync(LookInVainAsync);
            world.Network.Options.Loss = 0;
            Assert.Equal(TimeSpan.Zero, await world.MeasureAsync(LookInVainAsync));
            await world.PassAsync(took);

            Assert.Equal(eu.Cluster, (await us.Directory.FindAnewAsync(Grain, asia.Cluster))?.Cluster);

            async Task LookInVainAsync() => Assert.Null(await us.Directory.FindAnewAsync(Grain, asia.Cluster));
        });
    }

    [Fact]
    public void A_look_waits_once_for_a_store_that_hangs_and_those_after_it_not_at_all_for_as_long()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var (asia, us) = (silos[0], silos[2]);
            world.Network.Isolate(asia.Cluster);
            us.Rows.Fault = _ => StoreFault.Hangs;
            Assert.Equal(world.Options.StoreTimeout, await world.MeasureAsync(() => Assert.ThrowsAsync<GeoUnavailableException>(
                () => us.Directory.FindAnewAsync(Grain, asia.Cluster, TestContext.Current.CancellationToken).AsTask())));
            Assert.Equal(1, us.Rows.Reads);
            us.Rows.Fault = _ => StoreFault.None;
            Assert.Equal(TimeSpan.Zero, await world.MeasureAsync(LookInVainAsync));
            await world.PassAsync(world.Options.StoreTimeout);

            Assert.Equal(World.RoundTrip, await world.MeasureAsync(LookInVainAsync));

            async Task LookInVainAsync() => Assert.Null(await us.Directory.FindAnewAsync(Grain, asia.Cluster));
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_grain_is_found_elsewhere_while_the_own_store_hangs_and_at_home_while_another_cluster_is_silent(bool atHome)
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            await (atHome ? us : eu).CallAsync(Grain);
            world.Network.Isolate(asia.Cluster);
            world.Network.Options.Loss = atHome ? 1 : 0;
            us.Rows.Fault = _ => atHome ? StoreFault.None : StoreFault.Hangs;
            Placement? found = null;

            var took = await world.MeasureAsync(async () => found = await us.Directory.FindAnewAsync(Grain, asia.Cluster));

            Assert.Equal(atHome ? us.Cluster : eu.Cluster, found?.Cluster);
            Assert.Equal(atHome ? TimeSpan.Zero : World.RoundTrip, took);
        });
    }

    [Fact]
    public void A_cluster_that_has_no_room_for_a_look_is_asked_again_by_the_next_call()
    {
        var options = new GlobalDirectoryOptions { MaxRequests = 1, StoreRetryDelay = TimeSpan.FromSeconds(0.3) };
        var world = new World(1, "asia", "eu", "us") { Options = options };
        World.Run(world, async silos =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            await eu.CallAsync(Grain);
            eu.Rows.Fault = _ => StoreFault.UnknownWithoutEffect;
            var round = us.CallAsync(new GrainKey("cart", "2"));
            await world.PassAsync(0.01);
            Assert.Null(await us.Directory.FindAnewAsync(Grain, asia.Cluster));
            eu.Rows.Fault = _ => StoreFault.None;
            await round;

            Assert.Equal(eu.Cluster, (await us.Directory.FindAnewAsync(Grain, asia.Cluster))?.Cluster);
        });
    }

    [Fact]
    public void Looks_take_a_share_of_what_the_other_clusters_answer_at_once_and_one_too_many_is_refused_without_being_noted()
    {
        // A quarter, and of that the share of each of the two clusters that may ask.
        var world = new World(1, "asia", "eu", "us") { Options = new() { MaxRequests = 16 } };
        World.Run(world, async silos =>
        {
            var (asia, us) = (silos[0], silos[2]);
            world.Network.Isolate(asia.Cluster);
            var looks = new[] { LookAsync("1"), LookAsync("2") };

            Assert.Equal(TimeSpan.Zero, await world.MeasureAsync(() => LookAsync("3")));
            await Task.WhenAll(looks);
            Assert.Equal(World.RoundTrip, await world.MeasureAsync(() => LookAsync("3")));

            async Task LookAsync(string key) =>
                Assert.Null(await us.Directory.FindAnewAsync(new GrainKey("cart", key), asia.Cluster));
        });
    }

    [Fact]
    public void Of_more_looks_in_vain_than_are_remembered_the_latest_stay()
    {
        var world = new World(1, "asia", "eu", "us") { Options = new() { MaxAcquisitions = 2 } };
        World.Run(world, async silos =>
        {
            var (asia, us) = (silos[0], silos[2]);
            world.Network.Isolate(asia.Cluster);
            for (var i = 1; i <= 7; i++)
            {
                await LookAsync(i);
                Assert.Equal(TimeSpan.Zero, await world.MeasureAsync(() => LookAsync(i)));
                Assert.Equal(TimeSpan.Zero, await world.MeasureAsync(() => LookAsync(Math.Max(1, i - 1))));
            }

            // Nor is any number of them remembered.
            Assert.Equal(World.RoundTrip, await world.MeasureAsync(() => LookAsync(1)));

            async Task LookAsync(int key) =>
                Assert.Null(await us.Directory.FindAnewAsync(new GrainKey("cart", $"{key}"), asia.Cluster));
        });
    }

    [Fact]
    public void A_look_that_leaves_out_one_lost_cluster_is_none_for_a_call_that_has_lost_another_one()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            await eu.CallAsync(Grain);
            var without = us.Directory.FindAnewAsync(Grain, eu.Cluster).AsTask();
            var beside = us.Directory.FindAnewAsync(Grain, asia.Cluster).AsTask();

            Assert.Null(await without);
            Assert.Equal(eu.Cluster, (await beside)?.Cluster);
            Assert.Equal(eu.Cluster, (await us.Directory.FindAnewAsync(Grain, asia.Cluster))?.Cluster);
        });
    }

    [Fact]
    public void A_look_in_vain_that_left_out_one_cluster_is_none_for_a_call_that_has_lost_another_one()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            await eu.CallAsync(Grain);

            Assert.Null(await us.Directory.FindAnewAsync(Grain, eu.Cluster));
            Assert.Equal(eu.Cluster, (await us.Directory.FindAnewAsync(Grain, asia.Cluster))?.Cluster);
        });
    }

    [Fact]
    public void A_directory_that_ends_refuses_the_looks_under_way_and_begins_no_more()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var (asia, us) = (silos[0], silos[2]);
            var look = us.Directory.FindAnewAsync(Grain, asia.Cluster).AsTask();
            await world.PassAsync(World.OneWay);
            await us.Directory.DisposeAsync();

            Assert.True(look.IsCompleted);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => look);
            var reads = us.Rows.Reads;
            await Assert.ThrowsAsync<GeoUnavailableException>(
                () => us.Directory.FindAnewAsync(Grain, asia.Cluster, TestContext.Current.CancellationToken).AsTask());
            Assert.Equal(reads, us.Rows.Reads);
        });
    }
}
