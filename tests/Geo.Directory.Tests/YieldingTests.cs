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

    /// <summary>
    /// The owner's instance has ended or moved on, unheard of, while the duplicate for whose sake it was to end does not.
    /// </summary>
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

    /// <summary>Each of the two has an instance that ends for the owner, and would ask the other one to take the grain.</summary>
    [Theory]
    [InlineData("asia", 0)]
    [InlineData("asia", 1)]
    [InlineData("eu", 0)]
    [InlineData("eu", 1)]
    [InlineData("us", 0)]
    [InlineData("us", 1)]
    public void Calls_find_the_grain_soon_when_the_owner_has_left_before_two_duplicates_have_ended(string owner, int number)
    {
        var key = new GrainKey("grain", $"circle-{number}");
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var first = silos.Single(s => s.Cluster == new ClusterId(owner));
            var others = silos.Where(s => s != first).ToList();
            await first.CallAsync(key);
            silos.ToList().ForEach(silo => world.Network.Isolate(silo.Cluster));
            await world.PassAsync(1);
            foreach (var other in others)
            {
                await other.CallAsync(key);
                other.Deactivating = _ => Task.Delay(Timeout.InfiniteTimeSpan, world.Time);
            }

            world.Network.Heal();
            await world.PassAsync(1);
            Assert.All(others, other => Assert.True(other.Entry(key).IsYielding));
            world.Network.Options.NoticeLoss = 1;
            await first.EndAsync(key);
            others.ForEach(other => other.Directory.ForgetCached(key, first.Cluster));

            Placement[] found = [];
            var took = await world.MeasureAsync(async () => found = await Task.WhenAll(others.Select(other => other.CallAsync(key))));
            Assert.All(found, placement => Assert.Equal(first.Cluster, placement.Cluster));
            Assert.True(took < TimeSpan.FromSeconds(5), $"{took}");
        });
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Who_does_not_serve_a_grains_class_does_not_take_it_and_another_member_does(int number)
    {
        var key = new GrainKey("grain", $"unserved-{number}");
        var world = new World(1, "asia", "eu", "us");
        World.Run(world, async silos =>
        {
            var (asia, eu, us) = (silos[0], silos[1], silos[2]);
            await eu.CallAsync(key);
            world.Network.Isolate(asia.Cluster);
            await world.PassAsync(1);
            await asia.CallAsync(key);
            asia.Deactivating = _ => Task.Delay(Timeout.InfiniteTimeSpan, world.Time);
            world.Network.Heal();
            await world.PassAsync(1);
            Assert.True(asia.Entry(key).IsYielding);
            world.Network.Options.NoticeLoss = 1;
            await eu.EndAsync(key);
            asia.Directory.ForgetCached(key, eu.Cluster);
            eu.ServesAll = false;

            Assert.Equal(us.Cluster, (await asia.CallAsync(key)).Cluster);
            Assert.Equal(GsiState.Owned, us.Entry(key).State);
        });
    }
}
