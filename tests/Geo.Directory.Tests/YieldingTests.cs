namespace Geo.Directory.Tests;

/// <summary>An instance that ends for another cluster's.</summary>
public sealed class YieldingTests
{
    private static readonly GrainKey Grain = World.Grain;

    /// <summary>A call that never ends keeps the duplicate, and none of its cluster's silos from the owner.</summary>
    [Fact]
    public void Calls_go_to_the_owner_while_a_duplicate_does_not_end()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var sibling = world.AddSilo(silos[0].Cluster, "eu/2");
            await World.StartAsync(sibling);
            await silos[1].CallAsync(Grain);
            world.Network.Isolate(silos[0].Cluster);
            await world.PassAsync(1);
            await silos[0].CallAsync(Grain);
            silos[0].Deactivating = _ => Task.Delay(Timeout.InfiniteTimeSpan, world.Time);
            world.Network.Heal();
            await world.PassAsync(1);
            Assert.True(silos[0].Entry(Grain).IsYielding);

            var owner = new Placement(PlacementKind.Elsewhere, silos[1].Cluster, silos[1].Node);
            Assert.Equal(owner, await sibling.Directory.LookupAsync(Grain));
            foreach (var silo in new[] { silos[0], sibling })
            {
                var took = await world.MeasureAsync(async () => Assert.Equal(owner, await silo.CallAsync(Grain)));
                Assert.Equal(TimeSpan.Zero, took);
            }

            Assert.Null(await sibling.Directory.FindHereAsync(Grain));
            Assert.True(silos[0].Entry(Grain).IsYielding);
            Assert.Equal([Grain], silos[0].Instances);
        });
    }

    /// <summary>The owner's instance has ended or moved on, unheard of, while the duplicate for whose sake it was to end does not.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Calls_find_the_grain_elsewhere_when_the_owner_has_left_before_the_duplicate_has_ended(bool moves)
    {
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            await eu.CallAsync(Grain);
            world.Network.Isolate(asia.Cluster);
            await world.PassAsync(1);
            await asia.CallAsync(Grain);
            asia.Deactivating = _ => Task.Delay(Timeout.InfiniteTimeSpan, world.Time);
            world.Network.Heal();
            await world.PassAsync(1);
            world.Network.Options.NoticeLoss = 1;
            await eu.EndAsync(Grain);
            if (moves)
            {
                Assert.Equal(us.Cluster, (await us.CallAsync(Grain)).Cluster);
            }

            Assert.Equal(eu.Cluster, (await asia.CallAsync(Grain)).Cluster);
            asia.Directory.ForgetCached(Grain, eu.Cluster);
            Assert.Null(await asia.Directory.LookupAsync(Grain));
            var found = await asia.CallAsync(Grain);

            Assert.Equal(GsiState.Owned, silos.Single(s => s.Cluster == found.Cluster).Entry(Grain).State);
            Assert.True(asia.Entry(Grain).IsYielding);
            Assert.Equal(found, await asia.Directory.LookupAsync(Grain));
        });
    }
}
