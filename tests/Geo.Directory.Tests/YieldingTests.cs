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
            sibling.Directory.ForgetCached(Grain, silos[1].Cluster);
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
}
