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

    private static async Task<Silo> AddOwnerAsync(World world, Silo first)
    {
        var second = world.AddSilo(first.Cluster, "us/2");
        await World.StartAsync(second);
        await second.CallAsync(Grain);
        return second;
    }
}
