namespace Geo.Directory.Tests;

/// <summary>
/// The death of a silo takes no grain away from its cluster: another silo takes over what the dead one owned, and no other cluster is
/// asked.
/// </summary>
public sealed class TakeOverTests
{
    private static readonly GrainKey Grain = World.Grain;

    [Theory]
    [InlineData(SingleInstanceMode.Optimistic)]
    [InlineData(SingleInstanceMode.Pessimistic)]
    public void What_a_dead_silo_owned_is_taken_over_without_a_round_while_the_cluster_is_cut_off(SingleInstanceMode mode)
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = await AddOwnerAsync(world, silos[1]);
            var before = second.Entry(Grain);
            world.Network.Isolate(silos[1].Cluster);
            world.Crash(second);

            var took = await world.MeasureAsync(async () => Assert.Equal(
                new Placement(PlacementKind.Here, silos[1].Cluster, silos[1].Node), await silos[1].CallAsync(Grain, mode)));

            var entry = silos[1].Entry(Grain);
            Assert.True(took < World.OneWay);
            Assert.Equal((GsiState.Owned, silos[1].Node, before.Round), (entry.State, entry.Node, entry.Round));
            Assert.NotEqual(before.Epoch, entry.Epoch);
        });
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Other_clusters_are_sent_to_the_cluster_of_a_dead_owner_and_make_no_instance(bool fenced)
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = await AddOwnerAsync(world, silos[1]);
            world.Crash(second, fenced);

            Assert.Equal(new Placement(PlacementKind.Elsewhere, silos[1].Cluster, second.Node), await silos[0].CallAsync(Grain));
            Assert.Equal(PlacementKind.Here, (await silos[1].Directory.LookupAsync(Grain))?.Kind);
        });
    }

    /// <summary>
    /// Its cluster may own the grain still, and may have nothing to lose by that any more: what lives is kept, and becomes the owner.
    /// </summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_living_instance_in_doubt_is_not_ended_for_that_of_a_dead_silo_which_owned_the_grain(bool fenced)
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var survivor = silos[0];
            var second = await AddOwnerAsync(world, silos[1]);
            world.Network.Isolate(survivor.Cluster);
            await world.PassAsync(1);
            Assert.Equal(PlacementKind.Here, (await survivor.CallAsync(Grain)).Kind);
            world.Crash(second, fenced);

            world.Network.Heal();
            await world.PassAsync(2 * world.Options.ResolveInterval);
            Assert.Equal([Grain], survivor.Instances);
            Assert.Equal(fenced ? GsiState.Owned : GsiState.Doubtful, survivor.Entry(Grain).State);
            world.Fence(second);
            await world.PassAsync(2 * world.Options.ResolveInterval);

            Assert.Equal([Grain], survivor.Instances);
            Assert.Empty(survivor.Deactivated);
            Assert.Equal((GsiState.Owned, GsiState.Invalid), (survivor.Entry(Grain).State, silos[1].Entry(Grain).State));
            Assert.Equal(new Placement(PlacementKind.Elsewhere, survivor.Cluster, survivor.Node), await silos[1].CallAsync(Grain));
        });
    }

    [Fact]
    public void A_grain_that_a_sibling_of_the_dead_owner_has_taken_over_stays_with_it_when_another_cluster_has_one_in_doubt()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = await AddOwnerAsync(world, silos[1]);
            world.Network.Isolate(silos[0].Cluster);
            await world.PassAsync(1);
            await silos[0].CallAsync(Grain);
            world.Crash(second);
            await silos[1].CallAsync(Grain);

            world.Network.Heal();
            await world.PassAsync(2 * world.Options.ResolveInterval);

            Assert.Equal((GsiState.Owned, silos[1].Node), (silos[1].Entry(Grain).State, silos[1].Entry(Grain).Node));
            Assert.Equal([Grain], silos[0].Deactivated);
        });
    }

    [Fact]
    public void Of_two_silos_that_take_over_at_once_one_has_the_grain_and_the_other_is_told()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var second = await AddOwnerAsync(world, silos[1]);
            var third = world.AddSilo(silos[1].Cluster, "us/3");
            await World.StartAsync(third);
            world.Crash(second);

            var placements = await Task.WhenAll(silos[1].CallAsync(Grain), third.CallAsync(Grain));

            Assert.Equal(placements[0], placements[1]);
            Assert.Single(new[] { silos[1], third }, silo => silo.Instances.Contains(Grain));
        });
    }

    [Fact]
    public void What_was_owned_on_another_configuration_is_not_taken_over_but_asked_for()
    {
        var world = new World(1, "asia", "eu", "us");
        var us = new ClusterId("us");
        world.Configurations[us] = new MultiClusterConfiguration(1, [new ClusterId("eu"), us]);
        World.Run(world, async silos =>
        {
            // It slept through the arrival of asia, which it never asked.
            await silos[2].CallAsync(Grain);
            world.Configurations[us] = new MultiClusterConfiguration(2, world.Clusters);
            var next = world.AddSilo(us, "us/2");
            await World.StartAsync(next);
            world.Crash(silos[2]);
            world.Network.Isolate(silos[0].Cluster);

            await Assert.ThrowsAsync<GeoUnavailableException>(() => next.CallAsync(Grain, SingleInstanceMode.Pessimistic));
        });
    }

    [Fact]
    public void What_was_owned_before_a_cluster_came_to_be_a_member_or_went_is_taken_over_for_its_round_has_asked_all_that_are_left()
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var (asia, eu, us) = (silos[0].Cluster, silos[1].Cluster, silos[2].Cluster);
            MultiClusterConfiguration[] versions =
            [
                Version(2, (asia, ClusterStage.Joining), (eu, ClusterStage.Member), (us, ClusterStage.Member)),
                Version(3, (asia, ClusterStage.Member), (eu, ClusterStage.Member), (us, ClusterStage.Member)),
                Version(4, (asia, ClusterStage.Member), (eu, ClusterStage.Leaving), (us, ClusterStage.Member)),
                Version(5, (asia, ClusterStage.Member), (us, ClusterStage.Member)),
            ];
            var second = world.AddSilo(us, "us/2");
            await World.StartAsync(second);
            foreach (var silo in new[] { silos[2], second })
            {
                silo.Directory.Process(versions[0]);
            }

            // It asks asia, which is joining, and never anybody again.
            await second.CallAsync(Grain);
            foreach (var version in versions[1..])
            {
                silos[2].Directory.Process(version);
                second.Directory.Process(version);
            }

            world.Network.Isolate(us);
            world.Crash(second);

            Assert.Equal(
                new Placement(PlacementKind.Here, us, silos[2].Node), await silos[2].CallAsync(Grain, SingleInstanceMode.Pessimistic));
        });

        static MultiClusterConfiguration Version(long version, params (ClusterId Cluster, ClusterStage Stage)[] clusters) =>
            new(new ConfigurationStamp(version, 0), clusters.ToDictionary(c => c.Cluster, c => c.Stage));
    }

    private static async Task<Silo> AddOwnerAsync(World world, Silo first)
    {
        var second = world.AddSilo(first.Cluster, "us/2");
        await World.StartAsync(second);
        await second.CallAsync(Grain);
        return second;
    }
}
