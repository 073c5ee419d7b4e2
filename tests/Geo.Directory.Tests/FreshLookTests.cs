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
}
